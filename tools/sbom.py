#!/usr/bin/python3
"""Writes the bill of materials of a release, as SPDX 2.3 in JSON.

    tools/sbom.py --version VERSION --commit COMMIT --date SECONDS [--deb DEB] > kith.spdx.json

It names, with the versions that are installed here: the packages of Debian and of PyPI that kith is built
with (the section [build] of tools/packages.txt), those that the .deb depends on, and what is in the page of
kith serve. Licences are those of the packages' copyright files, where SPDX has a name for all of them, and
those that packages of PyPI name.
The same packages give the same bytes.
"""

import argparse
import datetime
import importlib.metadata
import json
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")

# Debian's names (copyright-format/1.0) and those of SPDX, in lower case, where they differ.
LICENCES = {
    "expat": "MIT", "mit": "MIT", "apache-2.0": "Apache-2.0", "apache-2": "Apache-2.0",
    "bsl-1.0": "BSL-1.0", "boost-1.0": "BSL-1.0", "bsd-2-clause": "BSD-2-Clause",
    "bsd-2-clauses": "BSD-2-Clause", "bsd-3-clause": "BSD-3-Clause",
    "bsd-3-clauses": "BSD-3-Clause", "isc": "ISC", "zlib": "Zlib", "cc0-1.0": "CC0-1.0",
    "gpl-2": "GPL-2.0-only", "gpl-2+": "GPL-2.0-or-later", "gpl-3": "GPL-3.0-only",
    "gpl-3+": "GPL-3.0-or-later", "lgpl-2": "LGPL-2.0-only", "lgpl-2+": "LGPL-2.0-or-later",
    "lgpl-2.1": "LGPL-2.1-only", "lgpl-2.1+": "LGPL-2.1-or-later", "mpl-1.1": "MPL-1.1",
    "mpl-2.0": "MPL-2.0", "unicode": "Unicode-DFS-2016", "unicode-dfs-2016": "Unicode-DFS-2016",
}


def debian_licences(copyright_text):
    """The licences that a copyright file of Debian names for the files of a package, sorted."""
    names = set()
    for stanza in re.split(r"\n\s*\n", copyright_text):
        files = re.search(r"^Files:\s*(\S.*)$", stanza, re.M)
        licence = re.search(r"^License:[ \t]*(\S.*)$", stanza, re.M)
        # Those of the packaging are no part of the program.
        if files and licence and not files.group(1).startswith("debian/"):
            names.add(licence.group(1).strip())
    return sorted(names)


def licence_of(names):
    """The SPDX expression of licences as Debian names them, or NOASSERTION."""
    terms = set()
    for name in names:
        parts = [LICENCES.get(part.strip(" ,").lower())
                 for part in re.split(r",?\s+or\s+|\s*\|\s*", name)]
        if None in parts:
            return "NOASSERTION"
        terms.add(parts[0] if len(parts) == 1 else f"({' OR '.join(sorted(parts))})")
    return " AND ".join(sorted(terms)) or "NOASSERTION"


def packages_to_build():
    """Names in the section [build] of tools/packages.txt: those of Debian, those of PyPI."""
    section, debian, pypi = None, [], []
    with open(os.path.join(ROOT, "tools", "packages.txt"), encoding="utf-8") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words and words[0].startswith("["):
                section = words[0]
            elif words and section == "[build]" and words[0].startswith("pypi:"):
                pypi.append(words[0].removeprefix("pypi:").split("==")[0])
            # A package for which another program may do is a tool, and perhaps not installed.
            elif len(words) == 1 and section == "[build]":
                debian.append(words[0])
    return debian, pypi


def packages_needed_by(deb):
    """Names of the packages that a .deb depends on."""
    depends = subprocess.run(["dpkg-deb", "-f", deb, "Depends"], check=True, capture_output=True,
                             text=True).stdout
    return [part.split("|")[0].split("(")[0].strip() for part in depends.split(",") if part.strip()]


def packages_of_the_page(root):
    """(name, version, licence) of what npm brings and the page of kith serve contains."""
    path = os.path.join(root, "apps", "server", "web", "package-lock.json")
    with open(path, encoding="utf-8") as file:
        packages = json.load(file)["packages"]
    return [(name.removeprefix("node_modules/"), package["version"], package["license"])
            for name, package in sorted(packages.items())
            if name and not package.get("dev") and not package.get("optional")]


def debian_package(name):
    """The entry of an installed Debian package."""
    fields = "${Version}\t${Architecture}\t${source:Package}\t${source:Version}\t${Homepage}\n"
    shown = subprocess.run(["dpkg-query", "-W", "-f", fields, name],
                           check=True, capture_output=True, text=True).stdout.splitlines()[0]
    version, architecture, source, source_version, homepage = shown.split("\t")
    licences = []
    path = f"/usr/share/doc/{name}/copyright"
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            licences = debian_licences(file.read())
    comment = {"licenseComments": f"Debian names: {'; '.join(licences)}"} if licences else {}
    return package_entry("Debian", name, version, licence_of(licences),
                         f"pkg:deb/debian/{name}@{version}?arch={architecture}",
                         homepage=homepage or "NOASSERTION",
                         sourceInfo=f"of the Debian source package {source} {source_version}",
                         supplier="Organization: Debian", **comment)


def pypi_package(name):
    """The entry of an installed package of PyPI."""
    about = importlib.metadata.metadata(name)
    return package_entry("PyPI", name, about["Version"], about["License-Expression"] or "NOASSERTION",
                         f"pkg:pypi/{name}@{about['Version']}")


def package_entry(kind, name, version, licence, locator, **more):
    identifier = re.sub(r"[^A-Za-z0-9.-]", "-", f"SPDXRef-{kind}-{name}")
    more.setdefault("supplier", "NOASSERTION")
    return {"SPDXID": identifier, "name": name, "versionInfo": version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": licence,
            "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": locator}], **more}


def relation(one, kind, other):
    return {"spdxElementId": one["SPDXID"], "relationshipType": kind,
            "relatedSpdxElement": other["SPDXID"]}


def document(version, commit, date, deb):
    created = datetime.datetime.fromtimestamp(date, datetime.timezone.utc)
    kith = package_entry("Package", "kith", version, "Apache-2.0", f"pkg:generic/kith@{version}",
                         supplier="Organization: The kith authors",
                         sourceInfo=f"built from commit {commit}",
                         primaryPackagePurpose="APPLICATION")
    packages, relations = [kith], []
    of_debian, of_pypi = packages_to_build()
    built_with = {name: debian_package(name) for name in sorted(set(of_debian))}
    needed = {name: built_with.get(name) or debian_package(name)
              for name in sorted(set(packages_needed_by(deb) if deb else []))}
    packages += list({**built_with, **needed}.values())
    relations += [relation(entry, "BUILD_DEPENDENCY_OF", kith) for entry in built_with.values()]
    relations += [relation(entry, "RUNTIME_DEPENDENCY_OF", kith) for entry in needed.values()]
    for name in sorted(set(of_pypi)):  # their words become part of the program
        packages.append(pypi_package(name))
        relations.append(relation(kith, "CONTAINS", packages[-1]))
    for name, its_version, licence in packages_of_the_page(ROOT):
        packages.append(package_entry("npm", name, its_version, licence, f"pkg:npm/{name}@{its_version}"))
        relations.append(relation(kith, "CONTAINS", packages[-1]))
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"kith-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/kith-{version}-{commit}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: kith/tools/sbom.py", "Organization: The kith authors"]},
        "packages": packages,
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                           "relatedSpdxElement": kith["SPDXID"]}, *relations],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--version", required=True)
    parser.add_argument("--commit", required=True)
    parser.add_argument("--date", required=True, type=int, help="seconds since 1970")
    parser.add_argument("--deb", help="names what it depends on, too")
    options = parser.parse_args()
    json.dump(document(options.version, options.commit, options.date, options.deb), sys.stdout,
              indent=1)
    print()


if __name__ == "__main__":
    main()
