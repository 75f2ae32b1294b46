import Bench
import Cluster
package import SystemKit

/// Every command of the executable, in the order of the help.
package enum CommandTable {
    package static let all: [any Command.Type] = [
        DemoCommand.self, DevCommand.self, ServeCommand.self, MigrateCommand.self, MerchantsCommand.self,
        KeysCommand.self, AuditCommand.self, RequestsCommand.self,
        SandboxCommand.self,
        PaymentsCommand.self, LinksCommand.self, RefundCommand.self, BillsCommand.self, TransfersCommand.self,
        EventsCommand.self, LogCommand.self,
        OperationsCommand.self, InstrumentsCommand.self, DisputesCommand.self, AccountsCommand.self, RoutesCommand.self,
        WebhooksCommand.self, ListenCommand.self, TriggerCommand.self,
        SchedulesCommand.self, ClockCommand.self, ZonesCommand.self, CalendarsCommand.self,
        EnqueueCommand.self,
        QuarantineCommand.self, ReportCommand.self, LedgerCommand.self, ReconcileCommand.self,
        ProjectionsCommand.self, ReplayCommand.self, VerifyCommand.self, RecoverCommand.self,
        DoctorCommand.self,
        AdapterCommand.self,
        BenchCommand.self,
        ClusterCommand.self,
        CompletionCommand.self,
    ]
}
