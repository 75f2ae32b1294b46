/// A key pair made for these tests with the `openssl` command, and what it signed with it.
enum RsaFixture {
    static let message = Array("a message to sign".utf8)
    static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAltljqZEt3rUfFNiH9DAH
        /oKxuTNiKhbeNAkjdnS1vxtUzMI8dS7br1m6r3SIi9W9viPWhhfJw3UQIS/hFqS7
        J2eRNI3nVYcIxDbEl0zgICfB2/OkGGNUE+G95hutTHoQpGd9vBJFBia3UmXLmFmu
        zpaSKAmfkSuXoKw2YjXZirsFVLJ3GYM2xKVqhJlY3zrrt8sbyHeM+UM3B0tQI7WQ
        PrLO0gB2q47yXNCnprJ8XpK/k0XhOduMEwr3j0BjO3+hUIsp5AfbS4HMhvnOFNNc
        vHFlZ9YH3/I23LcbJ9y4O0ai2T/x2dM+6x9dsl9JNOVZBR8/wn2wKsgwkoazyR97
        kwIDAQAB
        -----END PUBLIC KEY-----
        """
    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIDBTCCAe2gAwIBAgIUfJOtzuLVmsmZJYnoUVPMn+ALeaEwDQYJKoZIhvcNAQEL
        BQAwEjEQMA4GA1UEAwwHZml4dHVyZTAeFw0yNjExMjEwNDIzMzdaFw0zNjExMTgw
        NDIzMzdaMBIxEDAOBgNVBAMMB2ZpeHR1cmUwggEiMA0GCSqGSIb3DQEBAQUAA4IB
        DwAwggEKAoIBAQCW2WOpkS3etR8U2If0MAf+grG5M2IqFt40CSN2dLW/G1TMwjx1
        LtuvWbqvdIiL1b2+I9aGF8nDdRAhL+EWpLsnZ5E0jedVhwjENsSXTOAgJ8Hb86QY
        Y1QT4b3mG61MehCkZ328EkUGJrdSZcuYWa7OlpIoCZ+RK5egrDZiNdmKuwVUsncZ
        gzbEpWqEmVjfOuu3yxvId4z5QzcHS1AjtZA+ss7SAHarjvJc0Kemsnxekr+TReE5
        24wTCvePQGM7f6FQiynkB9tLgcyG+c4U01y8cWVn1gff8jbctxsn3Lg7RqLZP/HZ
        0z7rH12yX0k05VkFHz/CfbAqyDCShrPJH3uTAgMBAAGjUzBRMB0GA1UdDgQWBBRJ
        m/av+wtCjdSH5jfYgRdYo6mHdzAfBgNVHSMEGDAWgBRJm/av+wtCjdSH5jfYgRdY
        o6mHdzAPBgNVHRMBAf8EBTADAQH/MA0GCSqGSIb3DQEBCwUAA4IBAQAVN+hO8nUY
        0G7GssEOpYxn3ssMFqVneTueDcUR+bpJYgqeBSiZpEJanxrCair4+ZayLY4YmVSX
        l5DV8BVhfqSIFIiOyC383P0w831yIBPlq+KStUDWY6AG7yYxMAPegjt/KNiQJp60
        rfuaMIpuNPvJfT1XsAa7SeFZwv/GSxjktZ8vAxGb9Zbhs0LJ+8Ml+zUJtIZlW1Gw
        FKYqwAjhohgbDiHHk0rdlTZXESSid35A18WA8oB6vkL0mL3iEhHKh06zbEHf25Z5
        5Hpwj6HdK0NhN5Xc5hE2gKAIXEQNRHOMjaicg5Bdi6Gt5/nEaKT/gk6pC8/28DcX
        To30py4iJuBn
        -----END CERTIFICATE-----
        """
    /// 1024 bits.
    static let shortKey = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC/P55Q2LuCkkV8mtqW/sJH6C6H
        gJP14KfC75Ckm6KByV/f1b2TIW9qgK4qgN8YG8ydxXV7T+o4i0Jc/eJUdh9kpGAr
        a+A1mzCnPmHnmtadWA0Jhdo6H5OnhfTYhEUV117Ox2nBuu86+8FL7bfDSFG7fj0Q
        IpTrnqcRAAjeMavzFwIDAQAB
        -----END PUBLIC KEY-----
        """
    static let ed25519Key = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEA5UY6xQxWGxHVve1pzfkJjLGbnO8jb7CfeqesbyCqhUE=
        -----END PUBLIC KEY-----
        """
    static let sha256 =
        "930ce75c68b47d46ead95936b1ef7769406548d7faa94363f70ccf56e3e857a0738fa10915ba80ff96758ee0b44d831f"
        + "a66268eb5a845b5865470661b5e68d428c034f078c21cfa632da52e929f4ee0271e2bf7fa75877cd19a00b7755724846"
        + "ca264f39f6cf3b3cf4af1d05c6231ed85d4537a3e28d5d48ae7489768c375f35ac67964082e72367fae4ca66fd6a7b2f"
        + "696cbb19f103514f85e7757ddabc10c4d7c8f3231de81315b4942828a14e942c2f0834f79c3b8a6f16ea0240f5929d5d"
        + "3b1174af434225860279229861deafd4fc9a330105a6e74016454fe7f340c0fef0d4d855da3108d0825b057535978545"
        + "5561505092ce4388a531b23925934873"
    static let sha384 =
        "364a4ec8fdd48ea0f8d838d8593eb958835c16e603f5e71624bf87bbc0fe79640ada73cbbc42c7d5b8a1eb3700bb3b58"
        + "b9aff8ea8e8bb4582bfaa6c5ccc8cb7b866401aa95ebb03cdd40cba5e596f24b764051499624e2f30ef7b53fd07f817a"
        + "535ae152fc44f3b507652326b22b490d47f9cac9d7cf92760822bddcef4a283dce1f8e31d8c0e2c45650951f0d044666"
        + "8448f7eccac2853f048984d9d543c8cb19afaaa34fcf0e03066fe5682791a9f39ebb2ddc1a6b32c00ad05ed42d13998e"
        + "552f6b7b05efc4589a065fb32ceb87b95d85872ee6ce0c846d393ed7ec1d32aa0bcd8d503c57631283d5deb9e80a9bc6"
        + "eae447ad107408cc06da4b21d81b57e2"
    static let sha512 =
        "7eed6da7bbf26224c6112586cf4807304df3e5fcd778c14ffddc88295c97d5e442fa5f33c0bd977aa4a7368ff946e995"
        + "0b106845faef388d3f0bb7a00154ad156aa3a0bd2df334c25cef45b0bed0b15857f33cf9288cabe3fdc7d1a4e97b52e0"
        + "240c0bf8d702d6337f83ed653c743afa348362288c0f8f74fc9f7da9b3f4c65e95817703d741735341b6e04ee86bd4a9"
        + "39866cdc5e35a812b8e2f172e18c96051cc214b3d37059621f04cec38ad7892727461b7be728d8849f0dde08a5cba2ff"
        + "1a26af359a28669dcc478bc978248e668bafd42556a90460cce3f39e8e2c3e1d370aceebd7e1fd4abdfcba71db32cec8"
        + "ab8cd9a68a7f2b2905a152671410b55b"
    /// SHA-256 with a salt of 32 bytes.
    static let pss256 =
        "0f426791769a6c9b1de014f9bb4d953ff2eed4b4592183a42fd7239edcf0431ce07083b54d6db5bc6ccd7cccc6923063"
        + "e42820d936042c4865b3475bf7da97f44e1e44ea173db439b7781e1e01db8aa6781a7de2d8e7333ca9e6856120564783"
        + "e46e744099e890c7fab7f47f66766ba621b7aa9ad64f58610c5439b4f8e72c76db96b530480bdc6c6702737f0706d3ee"
        + "55a260854962e103e516bdf4e6b610b32a78a7c2aa6fe8fa52ed827d4bfa25864a792b69361b680585e176c6e191d2df"
        + "05869de022a8ffdc6b407f941495717694c20d5b3cd350521ade1d420e6ae93b6c7f8384f5a82acb3199d4120497c286"
        + "4d213493d0e4ac034cf07b123be3c1ea"
}
