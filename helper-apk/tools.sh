# Sourced by build and test: finds the tools, installs what is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
HERE=$PWD
CACHE=${AGENT_DEVICE_CACHE:-/var/cache/agent-device}/helper-apk
# The newest platform whose classes plain javac can be given here. Newer calls would have to be looked up by name anyway.
ANDROID_ALL=14-robolectric-10818077
DALVIK_DX=9.0.0_r3

die() {
    echo "helper-apk: $*" >&2
    exit 1
}

# What is needed can't be had: EX_UNAVAILABLE of sysexits.h, so that callers can tell it from a failed test.
unavailable() {
    echo "helper-apk: $*" >&2
    exit 69
}

# package <command> <Debian package>...
package() {
    local command=$1
    shift
    command -v "$command" >/dev/null && return
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || unavailable "$command is missing; install: $*"
    # Another build may hold the lock of the package manager.
    apt-get -o DPkg::Lock::Timeout=300 update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "$@" >&2
}

# artifact <group:name:version[:type]>: prints the path of the file
artifact() {
    local group name version type
    IFS=: read -r group name version type <<< "$1"
    local file=$CACHE/$name-$version.${type:-jar}
    if [ ! -s "$file" ]; then
        package mvn maven
        mkdir -p "$CACHE"
        mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy "-Dartifact=$1" \
            "-DoutputDirectory=$CACHE" -Dmdep.overWriteReleases=false >&2 || unavailable "$1 can't be fetched"
    fi
    echo "$file"
}

# classes <output> <class path> <source folder>...
classes() {
    local out=$1 path=$2
    shift 2
    rm -rf "$out"
    mkdir -p "$out"
    # No lambdas, no string concatenation by invokedynamic: what Java 8 compiles, every dex compiler and every Android takes.
    find "$@" -name '*.java' -print0 | LC_ALL=C sort -z | xargs -0 javac --release 8 -encoding UTF-8 -g:source,lines \
        -Xlint:all,-options,-deprecation,-serial,-classfile,-path -Werror -proc:none -cp "$path" -d "$out" 2> >(grep -v '^Note:' >&2)
}
