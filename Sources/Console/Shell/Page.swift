import Api
import Http
import Kernel

/// One page or form of the console: its address, who may have it, and who makes it.
struct Page: Sendable {
    typealias Handler = @Sendable (Visit) async throws(Problem) -> HttpResponse

    enum Access: Sendable {
        case everybody(Handler)
        /// For a session whose key has the scope; without one, for every session.
        case signedIn(Scope?, Handler)
    }

    let method: HttpMethod
    let pattern: String
    let access: Access
    /// Bytes of a form in which a file comes along; `nil` where none does.
    var uploadBytes: Int?

    static func shown(_ pattern: String, _ scope: Scope? = .read, by handler: @escaping Handler) -> Page {
        Page(method: .get, pattern: Address.root + pattern, access: .signedIn(scope, handler))
    }

    /// What a form is sent to.
    static func sent(_ pattern: String, _ scope: Scope?, by handler: @escaping Handler) -> Page {
        Page(method: .post, pattern: Address.root + pattern, access: .signedIn(scope, handler))
    }

    /// What a form with a file of at most so many bytes is sent to.
    static func uploaded(_ pattern: String, _ scope: Scope, most: Int, by handler: @escaping Handler) -> Page {
        var page = sent(pattern, scope, by: handler)
        page.uploadBytes = most + Limits.apiBodyBytes
        return page
    }

    static func open(_ method: HttpMethod, _ pattern: String, by handler: @escaping Handler) -> Page {
        Page(method: method, pattern: Address.root + pattern, access: .everybody(handler))
    }

    var isForStrangers: Bool { if case .everybody = access { true } else { false } }
}

/// All pages; the router follows from this list.
enum Pages {
    static let all: [Page] =
        SignInPage.all + OverviewPage.all + PaymentListPage.all + PaymentPage.all + OpenItemsPage.all
        + ScheduleListPage.all + CalendarPage.all + SchedulePage.all + InstrumentPages.all + BillBatchPages.all
        + ReportPage.all + MonthsPage.all + ReconciliationPages.all + AccountPages.all + WebhookPages.all
        + KeyPages.all + ChangePages.all + ActsPage.all + HealthPage.all + PreferencePage.all

    static let router = Router<Page>(all.map { (method: $0.method, pattern: $0.pattern, route: $0) })
}
