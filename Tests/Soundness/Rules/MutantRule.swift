/// Each rule that `deploy/mutants.sh` takes out of the code is still there in the words in which it is taken out.
enum MutantRule {
    /// What the script says of rules that are gone; nothing where it could not run.
    static func report(of root: String) -> String? {
        Shell.output("{ CHECK=1 sh deploy/mutants.sh || [ $? -eq 1 ]; }", in: root)
    }

    static func breaches(report: String) -> [Breach] {
        report.split(separator: "\n").filter { $0.hasPrefix("GONE") }.map {
            Breach(path: "deploy/mutants.tsv", line: 1, reason: String($0))
        }
    }
}
