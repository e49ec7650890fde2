#!/usr/bin/env bash
# install.sh OWNER/NAME VERSION FOLDER: downloads the executable for this machine from a release, checks its sum and copies it to FOLDER.
# SVC_RELEASES overrides the address of the releases, such as file:///path.
set -euo pipefail
repository=$1 version=$2 folder=$3

case "$(uname -s)" in
  Linux) system=linux ;;
  Darwin) system=macos ;;
  MINGW* | MSYS* | CYGWIN*) system=windows ;;
  *) echo "svc has no executable for $(uname -s)" >&2; exit 1 ;;
esac
case "$(uname -m)" in
  x86_64 | amd64) processor=x64 ;;
  aarch64 | arm64) processor=arm64 ;;
  *) echo "svc has no executable for $(uname -m)" >&2; exit 1 ;;
esac
target=$system-$processor
# musl's ldd exits 1 even when it prints its name.
if [ "$system" = linux ] && { ldd --version 2>&1 || :; } | grep -i musl >/dev/null; then target=$target-musl; fi
archive=svc-$version-$target.$([ "$system" = windows ] && echo zip || echo tar.gz)

releases=${SVC_RELEASES:-https://github.com/$repository/releases/download}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for file in "$archive" SHA256SUMS; do curl -fsSLO --proto '=https,file' --proto-redir '=https' --retry 3 "$releases/v$version/$file"; done
if command -v sha256sum >/dev/null; then check='sha256sum -c -'; else check='shasum -a 256 -c -'; fi
grep -F "  $archive" SHA256SUMS | $check >/dev/null || { echo "$archive does not match its SHA-256 sum" >&2; exit 1; }
if [ "$system" = windows ]; then unzip -q "$archive"; else tar -xzf "$archive"; fi
mkdir -p "$folder"
cp "svc-$version-$target/svc"* "$folder/"
"$folder/svc" --version
