import Api
import Http
import Kernel
import Schedules

/// How a reader wants to read: language, zone and theme, from a cookie of their own or from what the browser says.
struct Reading: Sendable {
    enum Theme: String, CaseIterable, Sendable {
        case auto, light, dark
    }

    let language: Language
    let zone: Zone
    let theme: Theme
    /// The zone that was chosen; `nil` where nobody chose one.
    let chosenZone: String?
    let chosenLanguage: Language?

    init(of request: HttpRequest, _ zones: ZoneFinder) async {
        let preferences = PublicOrigin.preferences(in: request.headers)
        func value(_ name: String) -> String? { preferences.last { $0.name == name }?.value }
        chosenLanguage = value("language").flatMap { Language(rawValue: $0) }
        language = chosenLanguage ?? Language(accepted: request.headers["Accept-Language"])
        theme = value("theme").flatMap { Theme(rawValue: $0) } ?? .auto
        let asked = request.query?.last { $0.name == "zone" }?.value
        var found: Zone?
        if let asked { found = await zones.zone(asked) }
        let kept = value("zone")
        if found == nil, let kept { found = await zones.zone(kept) }
        chosenZone = kept
        zone = found ?? .utc
    }

    var formats: Formats { Formats(language: language, zone: zone) }
}

/// Finds zones by their names.
struct ZoneFinder: Sendable {
    private let reader: Reader

    init(_ reader: Reader) { self.reader = reader }

    /// `nil` where there is no such zone, or it can't be read now.
    func zone(_ name: String) async -> Zone? {
        guard name != "UTC" else { return .utc }
        guard !name.isEmpty, name.utf8.count <= 64, let data = try? await reader.zone(named: name) else { return nil }
        return Zone(name: name) { data.offset(at: $0) }
    }
}
