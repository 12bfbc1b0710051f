ensure_probe() {
    [ -n "$(sh_ pm path $PROBE)" ] && return
    probe "$SCRATCH/probe.apk" "$SCRATCH/key" 2 && a install --no-streaming -r "$SCRATCH/probe.apk" >/dev/null 2>&1
}

check_44_permissions() {
    ensure_probe
    sh_ am force-stop $PROBE
    sh_ pm revoke $PROBE android.permission.CAMERA
    sh_ am start -W -n $PROBE/.ProbeActivity >/dev/null
    see "a permission is not granted" "camera false"
    local controller=com.android.permissioncontroller allow=permission_allow_button
    [ "$API" -ge 29 ] || controller=com.android.packageinstaller
    [ "$API" -ge 29 ] && allow=permission_allow_foreground_only_button
    tap Ask
    comes "asking for it opens the system's prompt" "u0 $controller/$controller.permission.ui.GrantPermissionsActivity}" focus
    see "with a question" "Allow Probe to take pictures and record video?"
    tap $controller:id/permission_deny_button
    see "denying is the answer" "answer 7 android.permission.CAMERA -1"
    has "the app is in front again" "$PROBE.ProbeActivity}" "$(focus)"
    tap Ask
    shows "permission_message"
    tap $controller:id/$allow
    see "allowing too" "answer 7 android.permission.CAMERA 0"
    has "which dumpsys knows" "android.permission.CAMERA: granted=true" "$(sh_ dumpsys package $PROBE)"
    tap Ask
    sleep 0.5
    has "a granted one is not asked for" "$PROBE.ProbeActivity}" "$(focus)"
    equal "pm revoke takes it away" "" "$(sh_ pm revoke --user 0 $PROBE android.permission.CAMERA; sh_ pidof $PROBE)"
    equal "pm grant gives it" "" "$(sh_ pm grant --user 0 $PROBE android.permission.CAMERA)"
    sh_ am start -W -n $PROBE/.ProbeActivity >/dev/null
    see "which the app sees" "camera true"
    has "a permission that was not asked for" "has not requested permission" "$(sh_ pm grant $PROBE android.permission.READ_CONTACTS 2>&1)"
    sh_ pm revoke $PROBE android.permission.CAMERA
    sh_ am start -W -n $PROBE/.ProbeActivity >/dev/null
    fault permission $PROBE android.permission.CAMERA
    comes "the prompt comes on demand" GrantPermissionsActivity focus
    sh_ am force-stop $PROBE
    goes "and goes with its app" GrantPermissionsActivity focus
}

check_45_foreign() {
    ensure_probe
    sh_ am start -W -n $PROBE/.ProbeActivity >/dev/null
    fault front com.android.settings 500
    has "the app is in front" "$PROBE.ProbeActivity}" "$(focus)"
    comes "the settings come to the front by themselves" "com.android.settings/com.android.settings.Settings}" focus
    see "with a screen" "Connected devices"
    fault front $PROBE
    comes "and the app again" "$PROBE.ProbeActivity}" focus
    fault front com.android.launcher3
    comes "the launcher" com.android.launcher3 focus
    has "settings by intent" "Status: ok" "$(sh_ am start -W -a android.settings.SETTINGS)"
    comes "are in front" "com.android.settings/" focus
    sh_ am start -W -n $PROBE/.ProbeActivity >/dev/null
    fault anr $PROBE
    comes "an ANR dialog" "mCurrentFocus=Window{" focus
    comes "names the app" "Application Not Responding: $PROBE}" focus
    see "in the system's words" "Probe isn't responding"
    [ "$API" -ge 24 ] && tap android:id/aerr_wait || tap "Wait"
    comes "waiting closes it" "$PROBE.ProbeActivity}" focus
    fault anr $PROBE
    comes "once more" "Application Not Responding: $PROBE}" focus
    [ "$API" -ge 24 ] && tap android:id/aerr_close || tap "OK"
    goes "closing it" "Application Not Responding" focus
    goes "ends the app" 1 sh_ pidof $PROBE
}
