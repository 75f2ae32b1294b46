/// Further fields of the form by their wire names; an empty value asks the payer.
enum AdditionalFields {
    /// Version 1.
    static let version = 1

    /// Asked of the payer by the form only: no value of it may pass through here.
    static let securityCode = "aps_account_security_code"

    /// Names that an account may send, each at most once and not beside the payer field that means the same.
    static let names: Set<String> = Set(
        """
        customer_email customer_phone customer_first_name customer_last_name customer_middle_name customer_day_of_birth
        customer_birthplace customer_ssn customer_gender customer_address customer_city customer_state customer_zip
        customer_country customer_account_id customer_domain customer_identify_number customer_identify_type
        customer_identify_issue_date billing_country billing_region billing_city billing_postal billing_address
        avs_post_code avs_street_address aps_account_number aps_account_security_code
        """.split(whereSeparator: \.isWhitespace).map(String.init)
    )

    /// Names whose value is a country.
    static let countries: Set<String> = ["customer_country", "billing_country"]

    /// Names whose values are sealed at ingest: all but countries, which are checked, and what never has a value.
    static let personal: [String] = names.subtracting(countries).subtracting([securityCode]).sorted()
}
