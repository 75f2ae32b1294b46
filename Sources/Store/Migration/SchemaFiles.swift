/// A step of the schema that is applied once, in the order of its number.
package struct Migration: Sendable {
    package let version: Int32
    package let name: String
    package let sql: [UInt8]
}

/// The SQL of `schema/`, embedded in the binary by the build.
package enum SchemaFiles {
    package static let migrations: [Migration] = [
        Migration(version: 1, name: "0001_log", sql: PackageResources._001_log_sql),
        Migration(version: 2, name: "0002_queue", sql: PackageResources._002_queue_sql),
        Migration(version: 3, name: "0003_registers", sql: PackageResources._003_registers_sql),
        Migration(version: 20, name: "0020_read_models", sql: PackageResources._020_read_models_sql),
        Migration(version: 21, name: "0021_commit_answers", sql: PackageResources._021_commit_answers_sql),
        Migration(version: 22, name: "0022_effect_expiry", sql: PackageResources._022_effect_expiry_sql),
        Migration(version: 30, name: "0030_bills", sql: PackageResources._030_bills_sql),
        Migration(version: 35, name: "0035_transfers", sql: PackageResources._035_transfers_sql),
        Migration(version: 36, name: "0036_instruments", sql: PackageResources._036_instruments_sql),
        Migration(version: 40, name: "0040_pace", sql: PackageResources._040_pace_sql),
        Migration(version: 50, name: "0050_zones", sql: PackageResources._050_zones_sql),
        Migration(version: 51, name: "0051_schedule_view", sql: PackageResources._051_schedule_view_sql),
        Migration(version: 52, name: "0052_merchant_clocks", sql: PackageResources._052_merchant_clocks_sql),
        Migration(version: 53, name: "0053_business_calendars", sql: PackageResources._053_business_calendars_sql),
        Migration(version: 63, name: "0063_dunning_policies", sql: PackageResources._063_dunning_policies_sql),
        Migration(version: 64, name: "0064_occurrence_view", sql: PackageResources._064_occurrence_view_sql),
        Migration(version: 70, name: "0070_sending_mark", sql: PackageResources._070_sending_mark_sql),
        Migration(version: 75, name: "0075_recovery", sql: PackageResources._075_recovery_sql),
        Migration(version: 120, name: "0120_kinds", sql: PackageResources._120_kinds_sql),
        Migration(version: 121, name: "0121_logins", sql: PackageResources._121_logins_sql),
        Migration(version: 135, name: "0135_unresolved", sql: PackageResources._135_unresolved_sql),
    ]

    /// Made again by every migration, in this order; a body may name a function that comes later.
    package static let functions: [(name: String, sql: [UInt8])] = [
        ("admit", PackageResources.admit_sql),
        ("arm", PackageResources.arm_sql),
        ("begin_recovery", PackageResources.begin_recovery_sql),
        ("bill_view_apply", PackageResources.bill_view_apply_sql),
        ("bind_login", PackageResources.bind_login_sql),
        ("change_effects", PackageResources.change_effects_sql),
        ("claim_effects", PackageResources.claim_effects_sql),
        ("claim_mail", PackageResources.claim_mail_sql),
        ("claim_role", PackageResources.claim_role_sql),
        ("cluster_name", PackageResources.cluster_name_sql),
        ("command_names", PackageResources.command_names_sql),
        ("commit", PackageResources.commit_sql),
        ("due_timers", PackageResources.due_timers_sql),
        ("enqueue", PackageResources.enqueue_sql),
        ("enqueue_bills", PackageResources.enqueue_bills_sql),
        ("epoch_here", PackageResources.epoch_here_sql),
        ("expired_effects", PackageResources.expired_effects_sql),
        ("extend_log", PackageResources.extend_log_sql),
        ("fire_timers", PackageResources.fire_timers_sql),
        ("give_back_effects", PackageResources.give_back_effects_sql),
        ("holds_card_number", PackageResources.holds_card_number_sql),
        ("horizon", PackageResources.horizon_sql),
        ("instrument_view_apply", PackageResources.instrument_view_apply_sql),
        ("is_mine", PackageResources.is_mine_sql),
        ("keep_commands", PackageResources.keep_commands_sql),
        ("load_streams", PackageResources.load_streams_sql),
        ("lost_effects", PackageResources.lost_effects_sql),
        ("mark_sending", PackageResources.mark_sending_sql),
        ("my_merchants", PackageResources.my_merchants_sql),
        ("observe", PackageResources.observe_sql),
        ("outcome", PackageResources.outcome_sql),
        ("own_clock", PackageResources.own_clock_sql),
        ("pace_effects", PackageResources.pace_effects_sql),
        ("payment_view_apply", PackageResources.payment_view_apply_sql),
        ("postpone_inbox", PackageResources.postpone_inbox_sql),
        ("publish_floor", PackageResources.publish_floor_sql),
        ("quarantine_input", PackageResources.quarantine_input_sql),
        ("read_undecided", PackageResources.read_undecided_sql),
        ("reclaim_effects", PackageResources.reclaim_effects_sql),
        ("release_mail", PackageResources.release_mail_sql),
        ("retry_input", PackageResources.retry_input_sql),
        ("schedule_view_apply", PackageResources.schedule_view_apply_sql),
        ("serves_all", PackageResources.serves_all_sql),
        ("settle_inbox", PackageResources.settle_inbox_sql),
        ("settle_mail", PackageResources.settle_mail_sql),
        ("shelve_notification", PackageResources.shelve_notification_sql),
        ("take_inbox", PackageResources.take_inbox_sql),
        ("travel_clocks", PackageResources.travel_clocks_sql),
    ]

    package static let roles = PackageResources.roles_sql
}
