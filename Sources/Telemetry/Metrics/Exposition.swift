/// The Prometheus text format 0.0.4.
enum Exposition {
    static func page(_ metrics: [String: MetricRegistry.Metric]) -> String {
        var out = ""
        for (name, metric) in metrics.sorted(by: { $0.key < $1.key }) {
            out += "# HELP \(name) \(escape(metric.help, quotes: false))\n# TYPE \(name) \(metric.kind.rawValue)\n"
            for (labels, series) in metric.series.sorted(by: { $0.key < $1.key }) {
                switch series {
                case .counter(let counter): out += line(name, labels, String(counter.value))
                case .gauge(let gauge): out += line(name, labels, String(gauge.value))
                case .sampled(let unit, let read): out += line(name, labels, unit.text(read()))
                case .histogram(let histogram): out += lines(name, labels, histogram)
                }
            }
        }
        return out
    }

    private static func lines(_ name: String, _ labels: String, _ histogram: Histogram) -> String {
        let reading = histogram.reading
        var total: Int64 = 0
        var out = ""
        for (index, count) in reading.buckets.enumerated() {
            total += count
            let bound = index < histogram.bounds.count ? histogram.unit.text(histogram.bounds[index]) : "+Inf"
            out += line(name + "_bucket", (labels.isEmpty ? "" : labels + ",") + "le=\"\(bound)\"", String(total))
        }
        return out + line(name + "_sum", labels, histogram.unit.text(reading.sum))
            + line(name + "_count", labels, String(total))
    }

    private static func line(_ name: String, _ labels: String, _ value: String) -> String {
        name + (labels.isEmpty ? "" : "{\(labels)}") + " \(value)\n"
    }

    /// Labels as they are printed, in the order given; `value` stands in for all of their values.
    static func labels(_ labels: KeyValuePairs<String, String>, value: String? = nil) -> String {
        var out = ""
        out.reserveCapacity(96)
        for label in labels {
            if !out.isEmpty { out += "," }
            out += label.key
            out += "=\""
            out += escape(value ?? label.value, quotes: true)
            out += "\""
        }
        return out
    }

    /// Letters, digits and underscores, no digit first.
    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
    }

    private static func escape(_ text: String, quotes: Bool) -> String {
        let isPlain = text.utf8.allSatisfy {
            $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\"")
        }
        guard !isPlain else { return text }
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\"" where quotes: out += "\\\""
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }
}
