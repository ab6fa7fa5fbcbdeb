#!/bin/sh
# The main job on real input: three kinds of specs in, three plain questions answered.
set -eu
GLOSS_DATA_DIR="$PWD/build/demo"
export GLOSS_DATA_DIR
unset GLOSS_DATABASE_URL

mkdir -p build
gloss db start > /dev/null
trap 'gloss db stop > /dev/null' EXIT

gloss ingest sample_specs
gloss index

ask() {
  printf '\nasked:  %s\nfirst:  ' "$1"
  gloss search "$1" -k 1
}
ask "who manages this customer's account"
ask "take an amount off an invoice that was wrong"
ask "how many pieces of this article are left in the warehouse"
