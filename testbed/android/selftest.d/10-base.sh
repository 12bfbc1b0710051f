check_01_transport() {
    has "adb lists the device" "$SERIAL	device" "$($ADB -P $PORT devices)"
    has "shell v2 is offered" shell_v2 "$(a features)"
    equal "getprop answers" "$API" "$(sh_ getprop ro.build.version.sdk)"
    equal "getprop lists" "[ro.build.version.sdk]: [$API]" "$(sh_ getprop | grep 'version.sdk')"
    equal "boot is complete" 1 "$(sh_ getprop sys.boot_completed)"
    sh_ 'exit 7'; equal "exit codes come through" 7 $?
    equal "stderr is apart" "" "$(sh_ 'ls /nowhere' 2>/dev/null)"
    equal "pipes and quotes are the shell's" "a b" "$(sh_ "echo 'a b' | cat")"
    head -c 300000 /dev/urandom >"$SCRATCH/blob"
    a push "$SCRATCH/blob" /data/local/tmp/blob >/dev/null 2>&1
    a pull /data/local/tmp/blob "$SCRATCH/blob2" >/dev/null 2>&1
    cmp -s "$SCRATCH/blob" "$SCRATCH/blob2" && ok "push and pull keep every byte" || bad "push and pull keep every byte"
    a exec-out cat /data/local/tmp/blob </dev/null >"$SCRATCH/blob3"
    cmp -s "$SCRATCH/blob" "$SCRATCH/blob3" && ok "exec-out is binary" || bad "exec-out is binary"
    has "an unknown command" "not found" "$(sh_ nosuchcommand 2>&1)"
}

check_02_install() {
    fetch agent-device@0.21.5 android/snapshot-helper/dist/agent-device-android-snapshot-helper-0.21.5.apk
    HELPER_APK=$SCRATCH/agent-device-android-snapshot-helper-0.21.5.apk
    equal "a missing package has no path" "" "$(sh_ pm path $HELPER)"
    has "adb install by push" Success "$(a install --no-streaming -r "$HELPER_APK" 2>&1)"
    equal "pm list packages" "package:$HELPER versionCode:21005" "$(sh_ cmd package list packages --show-versioncode $HELPER)"
    a pull "$(sh_ pm path $HELPER | sed 's/package://')" "$SCRATCH/back.apk" >/dev/null 2>&1
    cmp -s "$HELPER_APK" "$SCRATCH/back.apk" && ok "the installed APK is the one sent" || bad "the installed APK is the one sent"
    has "streamed into cmd package install -S" Success "$(a shell cmd package install -r -S "$(stat -c %s "$HELPER_APK")" <"$HELPER_APK")"
    has "not an APK" "Failure [INSTALL_PARSE_FAILED_NOT_APK" "$(sh_ 'echo hello > /data/local/tmp/x.apk; pm install /data/local/tmp/x.apk')"
    cp "$HELPER_APK" "$SCRATCH/cut.apk" && printf 'X' | dd of="$SCRATCH/cut.apk" bs=1 seek=200 conv=notrunc 2>/dev/null
    a push "$SCRATCH/cut.apk" /data/local/tmp/cut.apk >/dev/null 2>&1
    has "a damaged APK" "Failure [INSTALL_PARSE_FAILED_NO" "$(sh_ pm install -r /data/local/tmp/cut.apk)"
    has "uninstall" Success "$(a uninstall $HELPER 2>&1)"
    has "uninstall of what isn't there" "Failure [DELETE_FAILED_INTERNAL_ERROR]" "$(sh_ pm uninstall $HELPER)"
    a install --no-streaming -r "$HELPER_APK" >/dev/null 2>&1
}

check_03_helper_one_shot() {
    local out
    out=$(sh_ am instrument -w $RUNNER)
    has "status records" "INSTRUMENTATION_STATUS: agentDeviceProtocol=android-snapshot-helper-v1" "$out"
    has "result record" "INSTRUMENTATION_RESULT: ok=true" "$out"
    has "result code" "INSTRUMENTATION_CODE: 0" "$out"
    has "the tree is real" 'text="Home"' "$(echo "$out" | sed -n 's/.*payloadBase64=//p' | base64 -d)"
    has "viewport" "INSTRUMENTATION_RESULT: width=1080" "$(sh_ am instrument -w -e mode viewport $RUNNER)"
    has "a bad mode fails by its own code" "message=Unsupported mode: nonsense" "$(sh_ am instrument -w -e mode nonsense $RUNNER)"
    out=$(sh_ am instrument -w com.example/.Absent 2>&1)
    has "an absent runner" "INSTRUMENTATION_FAILED: com.example/com.example.Absent" "$out"
    equal "its process is gone afterwards" "" "$(sh_ pidof $HELPER)"
}

# request PORT LINE: one exchange with the helper's session
request() { python3 - "$1" "$2" <<'PY'
import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 20)
s.settimeout(20)
s.sendall(sys.argv[2].encode() + b"\n")
data = b""
while True:
    part = s.recv(65536)
    if not part:
        break
    data += part
sys.stdout.buffer.write(data)
PY
}

start_session() { # sets LOCAL and SESSION (the adb client's pid)
    LOCAL=$(a forward tcp:0 tcp:7912)
    : >"$SCRATCH/session"
    a shell am instrument -w -e emitChunks false -e sessionPort 7912 "$@" $RUNNER </dev/null >"$SCRATCH/session" 2>&1 &
    SESSION=$!
    for _ in $(seq 100); do grep -q sessionReady=true "$SCRATCH/session" && return; sleep 0.1; done
    bad "the session gets ready" "$(cat "$SCRATCH/session")"
}

check_04_helper_session() {
    start_session
    has "snapshot over adb forward" "requestId=one" "$(request "$LOCAL" 'snapshot one' | tr '\0' ' ')"
    has "the process is visible" "$HELPER" "$(sh_ ps -A)"
    equal "pidof and /proc agree" "$HELPER" "$(sh_ 'tr -d "\0" < /proc/$(pidof '$HELPER')/cmdline')"
    has "unknown word" "unknown session command" "$(request "$LOCAL" 'jump two')"
    has "quit" "ok=true" "$(request "$LOCAL" 'quit three')"
    wait $SESSION
    has "the session ends by itself" "sessionEnded=true" "$(cat "$SCRATCH/session")"
    a forward --remove tcp:"$LOCAL"

    start_session
    sh_ am force-stop $HELPER
    wait $SESSION
    has "force-stop shows as a crash of the process" "shortMsg=Process crashed." "$(cat "$SCRATCH/session")"
    equal "nothing listens any more" "" "$(request "$LOCAL" 'snapshot x' 2>/dev/null)"
    a forward --remove tcp:"$LOCAL"

    start_session
    sh_ 'kill -9 $(pidof '$HELPER')'
    wait $SESSION
    has "so does kill -9 of its process" "shortMsg=Process crashed." "$(cat "$SCRATCH/session")"
    a forward --remove tcp:"$LOCAL"
    start_session
    has "and it starts again on the same port" "ok=true" "$(request "$LOCAL" 'snapshot again')"
    request "$LOCAL" 'quit' >/dev/null
    wait $SESSION
    a forward --remove tcp:"$LOCAL"
}
