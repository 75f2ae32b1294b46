import Testing

/// Where the program of all tests begins.
///
/// Every test is one of Swift Testing, which finds them by itself. Without this file the build looks for those of XCTest, in an
/// index of symbols that costs a third of its time. SwiftPM prescribes the name.
@main
struct TestProgram {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
