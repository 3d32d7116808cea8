# The formula of Homebrew on Linux. The release workflow fills in what stands between @, and adds it to the release.
class Kith < Formula
  desc "Clusters, topics and near-duplicates of web crawls"
  homepage "@HOMEPAGE@"
  url "@HOMEPAGE@/releases/download/v@VERSION@/kith-@VERSION@-linux-x86_64.tar.gz"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on arch: :x86_64
  depends_on :linux

  def install
    bin.install "bin/kith"
    man1.install Dir["share/man/man1/*.1*"]
    bash_completion.install "share/bash-completion/completions/kith"
    zsh_completion.install Dir["share/zsh/*/_kith"]
    fish_completion.install "share/fish/vendor_completions.d/kith.fish"
    doc.install "CHANGELOG.md", "LICENSE", "README.md", "licences"
  end

  test do
    (testpath/"pages.jsonl").write <<~JSON
      {"id": "a", "text": "one text that two documents have"}
      {"id": "b", "text": "one text that two documents have"}
    JSON
    system bin/"kith", "dedup", "pages.jsonl", "-o", "run"
    assert_match "removed", (testpath/"run/groups.tsv").read
  end
end
