"""Pages of HTML from a generator of random numbers: nested and misplaced elements, tags that are not closed,
scripts, comments, references, and encodings that are declared in different places; and damaged pages."""

LETTERS = "bcdfghjklmnprstvaeiou"
# Encoding, and words in its letters.
ENCODINGS = {
    "utf-8": "žluťoučký größe ελληνικά слово 中文 résumé",
    "windows-1252": "größe résumé niño façade",
    "iso-8859-2": "žluťoučký kůň źródło győr",
    "windows-1251": "слово страница ещё язык",
    "koi8-r": "слово страница язык",
    "iso-8859-7": "ελληνικά γλώσσα",
    "shift_jis": "カタログ テスト",
    "euc-jp": "カタログ テスト",
    "gb18030": "中文 网页",
    "big5": "中文 網頁",
    "euc-kr": "한국어 문서",
}
BLOCKS = "div p ul ol li dl dt dd h1 h2 h3 section article nav blockquote pre table form fieldset center main".split()
INLINES = "b i em span a font code small u strong sub label x-own".split()
VOIDS = ["<br>", "<br/>", "<hr>", "<wbr>", "<input type=hidden value=zqno>", "<img src=a>", "</br>"]
# What no browser shows, with "zqno" where words are.
UNSEEN = [
    "<script>if (1 < 2) document.write('<p>zqno</p>');</script>",
    "<script><!-- <script>zqno</script> zqno --></script>",
    "<style>p > a:before { content: 'zqno' }</style>", "<!-- zqno <p> zqno -->", "<!-->", "<!--->", "<!-- zqno --!>",
    "<!zqno>", "<?zqno ?>", "</ zqno>", "<iframe>zqno</iframe>", "<template><p>zqno</p></template>",
    "<SCRIPT type='text/x'>zqno </p> </ScRiPt >", "<p title='zqno > zqno'>", '<b data-a="zqno<p>zqno">',
    "<script><!--<script></script>zqno--></script>", "<script><!-- zqno </script>", "<style></styl>zqno</style/>",
    "<!-- zqno --- > zqno -->", "<!---zqno-->", "<!-- zqno --!-> zqno -->", "</script zqno>", "<p/class=zqno>",
    "<i \0=zqno>", "<i a=<zqno>", "<i a=b a='zqno'>", "<i\fa=zqno>", "</i a='zqno>'>", '<?xml zqno=?>',
    "<script/>zqno</script>",
    "<svg><script>zqno</script></svg>", "<svg><title></title><style>zqno</style></svg>", "<noframes><p>zqno</noframes>",
    "<a href=zqno/>", "<p zqno='a'zqno=\"b\">", "<!DOCTYPE zqno>", "<![CDATA[zqno]]>", "</p zqno='>'>",
]
# With and without a semicolon, by numbers, and by those of windows-1252.
REFERENCES = """&eacute; &eacute &#233; &#xe9; &#XE9 &Auml; &#138; &szlig; &Zcaron; &#x80; &#xFFFFFF; &notin; &ampx; &lt
    &AMP; &#; &fjlig; &#x1D4B6;""".split()
STRAY = ["<", " < ", "&", "&nosuch; ", "<3 ", "</", "<>", "&#0; ", "&#xd800; ", "\0", "\f", "&nbsp;"]
DAMAGE = ["<", ">", "&", "'", '"', "/", "!", "--", "=", "<!--", "</", "<table>", "<select>"]
ENDS = ["</body></html>", "</body>\n</html>\n", "", "<!-- zqno", "<p class='zqno", "<script>zqno"]


class Page:
    def __init__(self, random):
        self.random = random
        self.encoding = random.choice([*ENCODINGS, "utf-8", "utf-8", "utf-8"])
        self.foreign = ENCODINGS[self.encoding].split()

    def one_in(self, n):
        return self.random.randrange(n) == 0

    def word(self):
        if self.one_in(6):
            return self.random.choice(self.foreign)
        word = "zq" + "".join(self.random.choices(LETTERS, k=6))
        if self.one_in(10):
            word += self.random.choice(REFERENCES) + (";" if self.one_in(50) else "")
        if self.one_in(20):
            word = word.replace("q", self.random.choice(["<b>q</b>", "&#113;", "<!-- zqno -->q", "<span>q"]))
        return word

    def words(self):
        return " ".join(self.word() for _ in range(self.random.randint(1, 6)))

    def tag(self, name):
        name = name.upper() if self.one_in(10) else name
        return f"<{name}{self.random.choice(['', '', ' ', ' class=a', chr(10) + 'id=b', ' lang=en title=zqno'])}>"

    def element(self, depth):
        kind = self.random.randrange(12)
        if kind < 4 or depth <= 0:
            return self.words() if self.one_in(3) else f" {self.words()} "
        if kind == 4:
            return self.random.choice(VOIDS + UNSEEN)
        if kind == 5:
            return self.table(depth)
        if kind == 6:
            return self.random.choice(STRAY)
        if kind == 7:
            return self.special()
        name = self.random.choice(BLOCKS if kind < 10 else INLINES)
        inner = self.content(depth - 1)
        closing = "" if self.one_in(5) else f"</{self.random.choice([name] * 9 + BLOCKS)}>"
        return f"{self.tag(name)}{inner}{closing}"

    def special(self):
        """What has a content model of its own."""
        word = self.word
        return self.random.choice([
            f"<textarea>{self.words()} &lt;b&gt; <p> </textarea>", f" <noscript> {self.words()} </noscript> ",
            f"<select><option>{word()} <option> {word()}</select>", f" <svg><text>{word()}</text></svg> ",
            f" <svg><style>zqno</style><![CDATA[ {word()} ]]></svg> ", f" <math><mi>{word()}</mi></math> ",
            f" <img alt='{self.words()}'> ", f"<ruby>{word()}<rp> (</rp><rt>{word()}</rt><rp>) </rp></ruby>",
            f"<details><summary>{word()}</summary> {word()}</details>", f"<pre>\n{self.words()}\n\n{word()}</pre>",
            f" <svg><foreignObject><p>{word()}<br>{word()}</foreignObject><desc>{word()}</desc></svg> {word()} ",
            f" <svg><g>{word()}<p>{self.words()}</p> <![CDATA[zqno]]>",
            f" <math><annotation-xml encoding='text/HTML'><p> {word()} </annotation-xml></math> ",
            f" <textarea>{word()}</textareax>{word()}</textarea> ", f"<listing>\n{word()} &amp; {word()}</listing>",
            f" <img alt='{word()} &lt;b&gt; &notit; &eacute= > {word()}' src=zqno> ", f"<marquee>{word()} </marquee>",
            f" <dialog open>{self.words()}</dialog><output>{word()}</output> <meter> {word()} </meter> ",
            f"<table><tr><td>{word()}<table><td>{word()}</table>{word()}<th>{word()}</table>",
            f"<ul><li>{word()}<ul><li>{word()}</ul><li>{word()}</ul>", f"<b><p>{word()}</b> {word()}</p>",
            f"<a href=a>{word()} <a href=b>{word()}</a> {word()}", f"<form><form>{word()}</form>{word()}</form>",
            f"<center><b>{word()}</center>{word()}",
            f" <object> {word()}</object> ", f" <button> {word()} </button> ", f" <xmp> {word()} <p> &amp; </xmp> ",
        ])

    def table(self, depth):
        rows = ""
        for _ in range(self.random.randint(1, 3)):
            cells = "".join(f"{self.tag(self.random.choice(['td', 'th']))}{self.content(depth - 2)}"
                            f"{'' if self.one_in(3) else '</td>'}" for _ in range(self.random.randint(1, 3)))
            misplaced = f" {self.word()} " if self.one_in(8) else ""
            rows += f"{misplaced}{'' if self.one_in(8) else '<tr>'}{cells}{'' if self.one_in(3) else '</tr>'}"
        caption = f"<caption>{self.words()}</caption>" if self.one_in(5) else ""
        return f"{self.tag('table')}{caption}{rows}{'' if self.one_in(8) else '</table>'}"

    def content(self, depth):
        return "".join(self.element(depth) for _ in range(self.random.randint(1, 4)))

    def damaged(self, text):
        """Characters dropped, doubled, moved, or put in; all of them still in the encoding."""
        first, second = sorted(self.random.randrange(len(text) + 1) for _ in range(2))
        end = min(second, first + self.random.choice([1, 3, 30, 300]))
        piece = text[first:end]
        return self.random.choice([
            text[:first] + text[end:],
            text[:end] + piece + text[end:],
            text[:first] + text[end:second] + piece + text[second:],
            text[:first] + self.random.choice(DAMAGE) + text[first:],
        ])

    def make(self):
        """The bytes of a page, and the charset that HTTP declares (or none)."""
        where = self.random.choice(["http", "meta", "http-equiv", "bom", "late meta", "none"])
        if where in ("bom", "none"):
            of_marks = ["utf-8", "utf-8", "utf-16-le", "utf-16-be"]
            self.encoding = self.random.choice(of_marks) if where == "bom" else "utf-8"
            self.foreign = ENCODINGS["utf-8"].split()
        declared = {"meta": f"<meta charset={self.encoding}>",
                    "late meta": f"<!-- {'zqno ' * 40} --><META name=a CharSet = '{self.encoding}' >",
                    "http-equiv": f'<meta content="text/html; charset={self.encoding}" http-equiv="Content-Type">'}
        title = f"<title>{self.words()}</title>"
        head = self.random.choice([f"<head>{{}}{title}</head><body>", f"{{}}{title}<body>", f"{{}}{title}", "{}"])
        doctype = self.random.choice(["<!DOCTYPE html>", "<!doctype HTML PUBLIC '-//W3C//DTD HTML 4.01//EN'>\n", ""])
        text = doctype + self.random.choice(["<html>", "<HTML lang=en>", ""]) + head.format(declared.get(where, ""))
        content = self.content(6)
        for _ in range(self.random.choice([0, 1, 4])):
            content = self.damaged(content)
        text += content + self.random.choice(ENDS)
        # What the encoding lacks becomes references.
        page = text.encode(self.encoding, "xmlcharrefreplace")
        if where == "bom":
            page = "\ufeff".encode(self.encoding) + page
        return page, self.encoding if where == "http" else ""
