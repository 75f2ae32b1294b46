/// The one executable.
@main
struct Paystream {
    static func main() async {}
}
