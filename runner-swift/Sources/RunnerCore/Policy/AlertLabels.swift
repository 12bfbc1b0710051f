/// The words on the buttons of alerts, by what a press of them means.
///
/// XCTest says nothing about a button's role, so its words are all there is. The first list of each is English, in the order in which a
/// button is preferred; the others are the same words as the system writes them in other languages. A word stands in one of
/// the two lists only.
enum AlertLabels {
    static let accept: [String] = [
        // English. Of the two ways to allow a thing, the one that lasts: the other asks again at the next launch.
        "ok", "allow", "allow while using app", "allow full access", "always allow", "allow once", "yes", "continue", "done", "open",
        "open settings", "settings", "join", "trust", "paste", "allow paste", "got it",
        // German, French, Spanish, Italian, Portuguese, Dutch
        "erlauben", "beim verwenden der app erlauben", "einmal erlauben", "ja", "fortfahren", "weiter", "fertig", "öffnen",
        "einstellungen öffnen",
        "autoriser", "autoriser lorsque l'app est active", "autoriser une fois", "oui", "continuer", "terminé", "ouvrir",
        "permitir", "permitir al usarse la app", "permitir una vez", "sí", "continuar", "aceptar", "abrir", "listo", "hecho",
        "consenti", "consenti mentre usi l'app", "consenti una volta", "sì", "continua", "fine", "apri",
        "permitir durante o uso do app", "permitir uma vez", "sim", "concluído", "ok, entendi",
        "sta toe", "sta toe bij gebruik van app", "sta één keer toe", "ga door", "gereed",
        // Russian, Polish, Turkish
        "разрешить", "при использовании приложения", "однократно", "да", "продолжить", "готово", "открыть",
        "pozwól", "pozwalaj, gdy używam aplikacji", "pozwól raz", "tak", "dalej", "gotowe", "otwórz",
        "izin ver", "uygulamayı kullanırken izin ver", "bir kez izin ver", "evet", "devam et", "bitti", "aç", "tamam",
        // Japanese, Chinese, Korean
        "許可", "アプリの使用中は許可", "1度だけ許可", "はい", "続ける", "完了", "開く",
        "允许", "使用app时允许", "允许一次", "好", "好的", "是", "继续", "完成", "打开", "无线局域网与蜂窝网络",
        "允許", "使用app期間", "允許一次", "繼續", "打開",
        "허용", "앱을 사용하는 동안 허용", "한 번 허용", "확인", "예", "계속", "완료", "열기",
        // Arabic, Hebrew
        "السماح", "السماح أثناء استخدام التطبيق", "السماح مرة واحدة", "نعم", "متابعة", "تم", "فتح", "موافق",
        "אפשר", "אישור", "כן", "המשך", "סיום", "פתח",
    ]

    static let dismiss: [String] = [
        "cancel", "close", "dismiss", "don't allow", "not now", "no", "keep browsing", "later", "ask app not to track", "don't trust",
        "don't allow paste", "remind me later", "no thanks",
        "abbrechen", "schließen", "nicht erlauben", "jetzt nicht", "nein", "später", "app-tracking ablehnen",
        "annuler", "fermer", "ne pas autoriser", "pas maintenant", "non", "plus tard",
        "cancelar", "cerrar", "no permitir", "ahora no", "más tarde",
        "annulla", "chiudi", "non consentire", "non ora", "più tardi",
        "fechar", "não permitir", "agora não", "não", "mais tarde",
        "annuleer", "sluit", "sta niet toe", "niet nu", "nee", "later",
        "отменить", "отмена", "закрыть", "запретить", "не разрешать", "не сейчас", "нет", "позже",
        "anuluj", "zamknij", "nie pozwalaj", "nie teraz", "nie", "później",
        "vazgeç", "iptal", "kapat", "izin verme", "şimdi değil", "hayır", "daha sonra",
        "キャンセル", "閉じる", "許可しない", "今はしない", "いいえ", "あとで",
        "取消", "关闭", "不允许", "以后", "暂不", "否", "稍后",
        "關閉", "不允許", "稍後", "現在不要",
        "취소", "닫기", "허용 안 함", "지금 안 함", "아니요", "나중에",
        "إلغاء", "إغلاق", "عدم السماح", "ليس الآن", "لا", "لاحقًا",
        "ביטול", "סגור", "אל תאפשר", "לא עכשיו", "לא",
    ]

    /// Labels that begin like this accept too: "Confirm payment".
    static let acceptPrefixes = ["confirm"]

    /// As labels are compared: without case, with plain apostrophes, white space collapsed, and without the invisible marks that
    /// turn the writing direction around a name.
    static func normalize(_ label: String) -> String {
        let plain = String(
            String.UnicodeScalarView(
                label.unicodeScalars.compactMap { scalar in
                    switch scalar.value {
                    case 0x2018, 0x2019, 0x02BC: "'"
                    // Turkish: its lower case is two scalars.
                    case 0x0130: "i"
                    case 0x200E, 0x200F, 0x061C, 0x202A...0x202E, 0x2066...0x2069: nil
                    default: scalar
                    }
                }))
        return SelectorMatch.normalize(plain)
    }
}
