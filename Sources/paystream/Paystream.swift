import Cli
import Glibc

/// The one executable: hands the command line to the command table.
@main
struct Paystream {
    static func main() async {
        exit(await CommandLineTool().run(Array(CommandLine.arguments.dropFirst())))
    }
}
