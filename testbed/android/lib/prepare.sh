# Fetches and builds what a device needs, once: sourced by ../device, which sets HERE and CACHE.
# Every step leaves a stamp beside its product, so an interrupted run goes on where it stopped. Running devices use these
# products to their end: nothing is changed or removed under them, a successor takes the name.

ROBOLECTRIC=4.17
ROOT_PACKAGES=adbd,adb,mksh,toybox,enjarify,python3-minimal,libapksig-java,fontconfig-config
HOST_TOOLS="debootstrap mvn cc javac unzip ip"

say() { echo "testbed: $*" >&2; }
die() { say "$*"; exit 1; }

framework_version() {
    case $1 in
        23) echo 6.0.1_r3-robolectric-r1 ;;
        29) echo 10-robolectric-5803371 ;;
        34) echo 14-robolectric-10818077 ;;
        36) echo 16-robolectric-13921718 ;;
        *) die "no framework for API $1: have 23, 29, 34, 36" ;;
    esac
}

# The mirror this machine already uses; none is named here.
debian_mirror() {
    apt-get indextargets --format '$(SITE) $(ORIGIN) $(LABEL)' 2>/dev/null |
        awk '$2 == "Debian" && $3 == "Debian" { print $1; exit }' | grep . ||
        awk '$1 == "URIs:" { print $2; exit } $1 == "deb" && $2 !~ /^\[/ { print $2; exit }' \
            /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null
}

prepare_tools() {
    local tool missing=
    for tool in $HOST_TOOLS; do command -v "$tool" >/dev/null || missing="$missing $tool"; done
    [ -z "$missing" ] && return
    say "installing tools:$missing"
    apt-get -o DPkg::Lock::Timeout=300 update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends \
        debootstrap maven gcc libc6-dev default-jdk-headless unzip iproute2 >&2 ||
        die "needs debootstrap, maven, a C compiler, a JDK, unzip and iproute2"
}

# Makes room under a name. What is moved aside stays with the devices that run from it, and goes when none runs.
set_aside() { # path
    rm -f "$1.stamp"
    [ ! -e "$1" ] || mv "$1" "$1.old-$(date +%s)"
}

sweep_old() {
    local each
    for each in $(names); do ! alive "$each" || return 0; done
    rm -rf "$CACHE"/*.old-*
}

# A root file system of Debian 13: the first release whose adbd speaks shell v2.
prepare_root() {
    ROOT=$CACHE/root
    [ "$(cat "$ROOT.stamp" 2>/dev/null)" = "$ROOT_PACKAGES" ] && return
    local mirror
    mirror=$(debian_mirror)
    [ -n "$mirror" ] || die "no Debian mirror in apt's configuration"
    say "building the device's root (about a minute)"
    set_aside "$ROOT"
    debootstrap --variant=minbase --include="$ROOT_PACKAGES" trixie "$ROOT" "$mirror" >"$CACHE/debootstrap.log" 2>&1 ||
        die "debootstrap failed, see $CACHE/debootstrap.log"
    rm -rf "$ROOT"/var/cache/apt/archives/*.deb "$ROOT"/var/lib/apt/lists/*
    echo "$ROOT_PACKAGES" >"$ROOT.stamp"
}

copy_artifact() { # group:name:version[:packaging] directory
    mvn -q -B dependency:get -Dartifact="$1" -Dtransitive=false >&2 &&
        mvn -q -B dependency:copy -Dartifact="$1" -DoutputDirectory="$2" >&2
}

prepare_jars() {
    LIB=$CACHE/lib
    [ "$(cat "$LIB.stamp" 2>/dev/null)" = "$ROBOLECTRIC" ] && return
    say "fetching Robolectric $ROBOLECTRIC"
    set_aside "$LIB"
    mkdir -p "$LIB" "$CACHE/pom"
    cat >"$CACHE/pom/pom.xml" <<XML
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>testbed</groupId><artifactId>jars</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.robolectric</groupId><artifactId>robolectric</artifactId><version>$ROBOLECTRIC</version></dependency>
  </dependencies>
</project>
XML
    (cd "$CACHE/pom" && mvn -q -B dependency:copy-dependencies -DoutputDirectory="$LIB" >&2) || die "mvn could not fetch Robolectric"
    copy_artifact androidx.tracing:tracing:1.1.0:aar "$LIB" || die "mvn could not fetch androidx.tracing"
    local aar
    for aar in "$LIB"/*.aar; do
        unzip -p "$aar" classes.jar >"${aar%.aar}.jar" && rm "$aar"
    done
    echo "$ROBOLECTRIC" >"$LIB.stamp"
}

prepare_framework() { # api
    SDK=$CACHE/sdk
    local version jar
    version=$(framework_version "$1")
    jar=$SDK/android-all-instrumented-$version-i7.jar
    mkdir -p "$SDK"
    if [ ! -f "$jar.stamp" ]; then
        say "fetching the framework of API $1"
        copy_artifact "org.robolectric:android-all-instrumented:$version-i7" "$SDK" || die "mvn could not fetch the framework of API $1"
        touch "$jar.stamp"
    fi
    jar=$CACHE/compile/android-all-14-robolectric-10818077.jar
    if [ ! -f "$jar.stamp" ]; then
        say "fetching the framework to compile against"
        copy_artifact org.robolectric:android-all:14-robolectric-10818077 "$CACHE/compile" || die "mvn could not fetch android-all"
        touch "$jar.stamp"
    fi
    COMPILE=$jar
}

# Our own part: the device process, the client of its shell commands, its sockets, and the scripts that run it. A build is
# named by what it was made of, and made of a copy, so that an edit meanwhile can't get into it.
prepare_build() {
    local sum copy
    copy=$(mktemp -d "$CACHE/copy-XXXXXX")
    cp -r "$HERE/src" "$HERE/native" "$HERE/lib" "$copy"
    sum=$(cd "$copy" && { find . -type f | LC_ALL=C sort | xargs sha256sum; echo "$ROBOLECTRIC"; } | sha256sum | cut -c1-16)
    BUILD=$CACHE/build-$sum
    if [ -f "$BUILD/stamp" ]; then
        rm -rf "$copy"
        touch "$BUILD"
        return
    fi
    say "compiling the device process"
    compile "$copy" || { rm -rf "$copy"; exit 1; }
    touch "$copy/stamp"
    rm -rf "$BUILD"
    mv "$copy" "$BUILD"
    forget_builds
}

compile() { # folder
    local java
    java=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
    mkdir "$1/classes"
    cc -O2 -Wall -static -o "$1/device-client" "$1/native/device-client.c" || { say "the client did not compile"; return 1; }
    cc -O2 -Wall -shared -fPIC -I"$java/include" -I"$java/include/linux" -o "$1/liblocalsockets.so" "$1/native/local-sockets.c" ||
        { say "the sockets did not compile"; return 1; }
    javac -nowarn -Xlint:none -proc:none -source 17 -target 17 -encoding UTF-8 -d "$1/classes" \
        -cp "$(printf '%s:' "$LIB"/*.jar)$ROOT/usr/share/java/apksig.jar:$COMPILE" \
        $(find "$1/src" -name '*.java') 2>"$1/javac.log" || { grep -v '^warning\|^Note' "$1/javac.log" >&2; say "the device process did not compile"; return 1; }
    ln "$COMPILE" "$1/android-all.jar" 2>/dev/null || cp "$COMPILE" "$1/android-all.jar"
}

# Builds of yesterday that no device runs from.
forget_builds() {
    local each used=
    for each in $(names); do used="$used $(cat "$CACHE/run/$each/build" 2>/dev/null || true)"; done
    for each in $(find "$CACHE" -maxdepth 1 \( -name 'build-*' -o -name 'copy-*' \) -mmin +720); do
        case " $used " in *" $each "*) ;; *) rm -rf "$each" ;; esac
    done
}

java_major() { sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null || true; }

# API 36 and screenshots need Java 21 or newer: one of this machine's, else Debian's inside the root.
prepare_java() {
    local home major
    JDK=
    for home in "${JAVA_HOME:-/nonexistent}" /usr/lib/jvm/*; do
        major=$(java_major "$home")
        [ "${major:-0}" -ge 21 ] && [ ! -L "$home" ] && JDK=$(readlink -f "$home") && return
    done
    home=$(echo "$ROOT"/usr/lib/jvm/java-21-*)
    if [ ! -d "$home" ]; then
        say "installing Java 21 in the root"
        chroot "$ROOT" sh -c 'apt-get update -qq && mkdir -p /usr/share/man/man1 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends openjdk-21-jre-headless' >&2 ||
            die "no Java 21 or newer to be had"
        home=$(echo "$ROOT"/usr/lib/jvm/java-21-*)
    fi
    JDK=$home
}

prepare() { # api
    mkdir -p "$CACHE/dex" "$CACHE/run"
    exec 9>"$CACHE/lock"
    flock 9
    sweep_old
    prepare_tools
    prepare_root
    prepare_jars
    prepare_framework "$1"
    prepare_java
    prepare_build
    flock -u 9
    exec 9>&-
}
