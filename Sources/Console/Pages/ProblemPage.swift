import Api
import Http
import Kernel

/// A refusal as a person reads it: what is wrong and what to do, nothing of what was sent, nothing from inside.
struct ProblemPage {
    private let problem: Problem
    private let visit: Visit
    /// Where the person was.
    private let back: Address?

    init(_ problem: Problem, _ visit: Visit, back: Address? = nil) {
        self.problem = problem
        self.visit = visit
        self.back = back
    }

    var response: HttpResponse {
        var answer = Layout(visit, title).response(problem.status) {
            tag("div", .class("problem"), .of("role", "alert")) {
                tag("h1") { title }
                tag("p") { visit.say(hint) }
                tag("p", .class("muted"), .of("lang", "en")) { problem.detail }
                facts([
                    (visit.say(.problemCode), code(problem.code)),
                    (visit.say(.problemPlace), code(problem.members["path"]?.text)),
                    (visit.say(.problemScope), code(problem.members["scope"]?.text)),
                ])
                tag("p") {
                    if visit.session == nil {
                        link(visit.say(.signIn), Address("sign-in"), "button")
                    } else {
                        link(visit.say(.back), back ?? Address("payments"), "button")
                    }
                }
            }
        }
        answer.headers.take(problem.headers)
        return answer
    }

    private var title: String { visit.say(heading) }

    private var heading: Text {
        switch problem.status {
        case 401: .sessionEnded
        case 403: .notAllowed
        case 404: .notFound
        case 409, 412: .changedMeanwhile
        case 429: .tooMuchAtOnce
        case 500...: .notNow
        default: .refused
        }
    }

    private var hint: Text {
        switch problem.status {
        case 401: .sessionEndedHint
        case 403: .notAllowedHint
        case 404: .notFoundHint
        case 409, 412: .changedMeanwhileHint
        case 429: .tooMuchAtOnceHint
        case 500...: .notNowHint
        default: .refusedHint
        }
    }
}

/// Leads a browser that came from another site to the same page once more, so that it sends its session.
enum ComeAgainPage {
    static func response(_ address: Address) -> HttpResponse {
        var document = Html(literal: "<!doctype html>\n")
        document += tag("html", .of("lang", "en")) {
            tag("head") {
                void("meta", .of("charset", "utf-8"))
                void("meta", .of("http-equiv", "refresh"), .of("content", "0; url=\(address.text)"))
                tag("title") { "Paystream" }
            }
            tag("body") { link("Paystream", address) }
        }
        return HttpResponse.html(200, document.markup)
    }
}

extension Problem {
    /// A page takes a request by these methods and by no other.
    static func pageTakesNone(but allowed: [HttpMethod]) -> Problem {
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        return Problem(
            .methodNotAllowed,
            "This page takes no such request.",
            headers: HttpHeaders([("Allow", names)])
        )
    }
}

extension HttpHeaders {
    /// Takes from a problem's fields what a page about it says as well.
    mutating func take(_ problem: HttpHeaders) {
        for field in problem.fields where ["Allow", "Retry-After"].contains(field.name) { set(field.name, field.value) }
    }
}
