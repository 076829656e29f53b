#!/bin/sh
# Installs softlbr into a folder, then moves it: whatever the installed files say about their place must be relative.
#
# Use: install_prefix.sh CMAKE BUILD FOLDER      FOLDER: gets the installed tree, anew
set -eu
cmake=$1 build=$2 folder=$3
rm -rf "$folder" "$folder.before"
"$cmake" --install "$build" --prefix "$folder.before" >/dev/null
mv "$folder.before" "$folder"
! grep -rlF "$folder.before" "$folder" || { echo "these name the folder that they were installed into"; exit 1; }
