#!/bin/bash
# Process 1 of a device: it owns the mount, process and network namespaces, so that its death takes everything along.
# Environment: RUN ROOT LIB SDK BUILD DEX JDK API ADDRESS HEAP
set -e
device=$RUN/root
mount --make-rprivate /
mount -t tmpfs -o size=2g tmpfs "$RUN/memory"
mkdir "$RUN/memory/upper" "$RUN/memory/work"
mount -t overlay overlay -o "lowerdir=$ROOT,upperdir=$RUN/memory/upper,workdir=$RUN/memory/work" "$device"

mount -t proc proc "$device/proc"
mount -t tmpfs -o mode=755 tmpfs "$device/dev"
for node in null:1:3 zero:1:5 full:1:7 random:1:8 urandom:1:9 tty:5:0; do
    IFS=: read -r name major minor <<<"$node"
    mknod -m 666 "$device/dev/$name" c "$major" "$minor"
done
mkdir -p "$device"/dev/{pts,socket,shm}
mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$device/dev/pts"
ln -s pts/ptmx "$device/dev/ptmx"
ln -s /proc/self/fd "$device/dev/fd"

mkdir -p "$device"/system/{bin,framework} "$device"/data/{app,data,system/tmp,misc/adb,local/tmp} "$device"/storage/emulated/0 \
    "$device"/opt/device/{jdk,lib,sdk,build,dex,run}
chmod 777 "$device/data/local/tmp"
ln -sfn /storage/emulated/0 "$device/sdcard"
bind() { mount --bind "$1" "$2" && { [ -n "${3:-}" ] || mount -o remount,bind,ro "$2"; }; }
bind "$JDK" "$device/opt/device/jdk"
bind "$LIB" "$device/opt/device/lib"
bind "$SDK" "$device/opt/device/sdk"
bind "$BUILD" "$device/opt/device/build"
bind "$DEX" "$device/opt/device/dex" writable
bind "$RUN/share" "$device/opt/device/run" writable

# Android's shell is mksh and its small tools are toybox; the framework's commands are links to one client.
ln -sf /usr/bin/mksh "$device/usr/bin/sh"
ln -sf /usr/bin/mksh "$device/system/bin/sh"
for tool in pidof ls cat stat id; do
    chroot "$device" /usr/bin/toybox "$tool" --help >/dev/null 2>&1 && ln -sf /usr/bin/toybox "$device/system/bin/$tool"
done
# Android's ps shows an app by its whole name.
cat >"$device/system/bin/ps" <<'PS'
#!/system/bin/sh
case "${1:-}" in
    "" | -A | -e | -ef | -A[a-z]) exec toybox ps -A -o USER,PID,PPID,VSZ,RSS,WCHAN:10,ADDR:10,S,NAME ;;
    *) exec toybox ps "$@" ;;
esac
PS
chmod 755 "$device/system/bin/ps"
cp "$BUILD/device-client" "$device/system/bin/device-client"
for name in fault reset; do ln -sf /system/bin/device-client "$device/opt/device/$name"; done
for name in am appops bmgr cmd content device_config dumpsys getprop ime input logcat monkey pm screencap screenrecord service \
    setprop settings svc uiautomator wm; do
    ln -sf device-client "$device/system/bin/$name"
done

ip link set lo up
for _ in $(seq 100); do ip link show eth0 >/dev/null 2>&1 && break; sleep 0.02; done
ip addr add "$ADDRESS/30" dev eth0
ip link set eth0 up
hostname android

export PATH=/system/bin:/usr/bin:/bin:/usr/sbin HOME=/ SHELL=/system/bin/sh TMPDIR=/data/local/tmp ANDROID_ROOT=/system ANDROID_DATA=/data
unset LANG LC_ALL
classpath=/opt/device/build/classes
for jar in "$LIB"/*.jar; do classpath=$classpath:/opt/device/lib/${jar##*/}; done
classpath=$classpath:/usr/share/java/apksig.jar:/opt/device/build/android-all.jar
opens=
for package in java.lang java.io java.nio java.util java.net java.lang.reflect jdk.internal.access; do
    opens="$opens --add-opens java.base/$package=ALL-UNNAMED"
done
chroot "$device" /opt/device/jdk/bin/java -Xmx"$HEAP" -Xss4m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Xshare:auto \
    --add-exports java.base/jdk.internal.access=ALL-UNNAMED $opens \
    -Djava.library.path=/opt/device/build -Djava.io.tmpdir=/data/system/tmp -Duser.home=/ -Djava.awt.headless=true -Dfile.encoding=UTF-8 \
    -Drobolectric.offline=true -Drobolectric.dependency.dir=/opt/device/sdk \
    -Drobolectric.useRealAni=true -Drobolectric.useRealDrawTraversals=true -Drobolectric.windowManager.useRequestedSize=true \
    -Drobolectric.areWindowsMarkedVisible=true -Drobolectric.createActivityContexts=true -Drobolectric.installFakeMediaProvider=false \
    -cp "$classpath" testbed.boot.Main "$API" </dev/null >"$RUN/framework.log" 2>&1 &
framework=$!
echo "$framework" >"$RUN/share/framework-pid"

# What stands at port 5555: real adbd, the same without the shell v2 feature, or a stand-in.
adbd_mode() { cat "$RUN/share/adbd-mode" 2>/dev/null || echo normal; }
start_adbd() {
    local program=/usr/sbin/adbd
    case $(adbd_mode) in
        down) sleep 1000000 & adbd=$!; return ;;
        unauthorized | offline)
            python3 "$BUILD/lib/standin.py" "$(adbd_mode)" </dev/null >>"$RUN/adbd.log" 2>&1 &
            adbd=$!
            return ;;
        no-shell-v2)
            program=/data/local/adbd
            LC_ALL=C sed 's/shell_v2/shell_v0/g' "$device$(readlink -f "$device/usr/sbin/adbd" | sed "s|^$device||")" >"$device$program"
            chmod 755 "$device$program" ;;
    esac
    ADBD_PORT=5555 chroot "$device" "$program" </dev/null >>"$RUN/adbd.log" 2>&1 &
    adbd=$!
}
start_adbd
echo "$adbd" >"$RUN/share/adbd-pid"

# As init does: adbd is restarted when it dies, the device ends with its framework.
while :; do
    wait -n "$framework" "$adbd" || true
    kill -0 "$framework" 2>/dev/null || { echo "the framework process ended" >>"$RUN/framework.log"; exit 1; }
    kill -0 "$adbd" 2>/dev/null && continue
    # A reset may kill it.
    sleep 0.2 || true
    start_adbd
    echo "$adbd" >"$RUN/share/adbd-pid"
done
