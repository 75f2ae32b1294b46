import Payments

/// The codes of version 1 by what may be done next and why; a change adds a version.
extension CodeTable {
    static let version = 1

    static let groups: [Group] = [
        Group(
            .success,
            nil,
            """
            0
            """
        ),
        Group(
            .pending,
            nil,
            """
            9999 19999 20802 20899 29999
            """
        ),
        Group(
            .retryNewAttempt,
            .insufficientFunds,
            """
            10105 20105
            """
        ),
        Group(
            .retryNewAttempt,
            .providerDown,
            """
            10202 10505 20202 20450
            """
        ),
        Group(
            .retryNewAttempt,
            .soft,
            """
            301 603 604 10000 10100 10107 10301 10603 20000 20100 20104 20301 20304 20603
            """
        ),
        Group(
            .retryNewAttempt,
            .stepUpRequired,
            """
            104 108 2466 10104
            """
        ),
        Group(
            .retryNewAttempt,
            .unknown,
            """
            3061 20812
            """
        ),
        Group(
            .retryLater,
            .insufficientFunds,
            """
            10112
            """
        ),
        Group(
            .retryLater,
            .providerDown,
            """
            314 20206
            """
        ),
        Group(
            .retryLater,
            .soft,
            """
            3106 3108 3109 3110 3111 3112 3198 3297 3298 3305 3306 3307 3308 3309 3310 3311 3312 3313 3314 3315
            3316 3317 3318 3319 3320 3321 3322 3323 3324 3325 3326 3327 3328 3329 3330 3331 3332 3333 3334 3335
            3336 3337 3338 3339 3340 3355 3357 3362 3407 3408 3450 3451 3452 3606 3607 3626 3627 3628 3629 3630
            3631 3632 3633 3634 3635 10109 20109
            """
        ),
        Group(
            .retryLater,
            .stepUpRequired,
            """
            10114
            """
        ),
        Group(
            .fixRequest,
            .configuration,
            """
            319 702 2003 2004 2014 2061 2123 2124 2154 2261 2426 2467 2468 2541 2606 2609 2610 2611 2641 2801
            2945 3001 3002 3003 3004 3020 3022 3024 3119 3121 3141 3161 3162 3186 3190 3192 3194 3195 3241 3242
            3243 3244 3286 3287 3291 3431 3432 3433 3490 3612 10502 10701 20502 20701
            """
        ),
        Group(
            .fixRequest,
            .fraud,
            """
            10401 20401
            """
        ),
        Group(
            .fixRequest,
            .hard,
            """
            309 2642 2949 3104 3117 3118 3120 3125 3283 3284 3289 3358 3360 3400 3402 3403 3404 3406 3409 3410
            3411 3412 3413 3414 3415 3416 3417 3418 3419 3480 3609 3618 3619 3620 3621 3622 3623 3624 3625 3900
            3901 10108 20303
            """
        ),
        Group(
            .fixRequest,
            .instrumentInvalid,
            """
            3021 3027 3101 3105 3181 3221 3301 3434 3435 3436 3437 3438 3439 3491 10102 10103 10106 10204 10805
            20102 20103 20106 20107 20201 20204 20302
            """
        ),
        Group(
            .fixRequest,
            .soft,
            """
            109 10101 20101
            """
        ),
        Group(
            .needsAuthentication,
            .stepUpRequired,
            """
            10205 10403 10709 10722
            """
        ),
        Group(
            .needsClarification,
            .stepUpRequired,
            """
            3191
            """
        ),
        Group(
            .duplicate,
            .unknown,
            """
            1434 3041 3182 3230 3613
            """
        ),
        Group(
            .statusFirst,
            .providerDown,
            """
            501 602 10602 20602
            """
        ),
        Group(
            .statusFirst,
            .soft,
            """
            601 10601 20601
            """
        ),
        Group(
            .statusFirst,
            .unknown,
            """
            2147 3062 3081 10801 20801
            """
        ),
        Group(
            .configuration,
            .configuration,
            """
            303 310 318 502 504 2442 3023 3028 3123 3124 3261 3262 3293 3299 10503 10504 20503 20504 20705
            """
        ),
        Group(
            .contactSupport,
            .configuration,
            """
            3193 3292 3363 10501 10702 10703 10705 10707 10708 20501 20703 20706 30301 30302 30303
            """
        ),
        Group(
            .contactSupport,
            .fraud,
            """
            3199
            """
        ),
        Group(
            .contactSupport,
            .hard,
            """
            903 904 2701 3026 3102 3103 3107 3196 3197 3281 3288 3341 3470 3471 3472 3610 3611 3617 10201 10206
            10706 10806 20205 20451 30000 30401
            """
        ),
        Group(
            .contactSupport,
            .instrumentInvalid,
            """
            3029 3184 10704
            """
        ),
        Group(
            .contactSupport,
            .soft,
            """
            100 3285 20702
            """
        ),
        Group(
            .contactSupport,
            .unknown,
            """
            3060 3201 20604 30100
            """
        ),
        Group(
            .never,
            .fraud,
            """
            402 1401 1402 1403 1404 1405 1406 1407 1408 1409 1410 1411 1412 1413 1414 1415 1421 1422 1431 1432
            1433 1435 1437 1441 1450 1451 1452 1453 1455 1456 1457 1458 1459 1460 1461 1462 1463 1499 10402
            10404 10405 10807 20203 20402
            """
        ),
        Group(
            .never,
            .hard,
            """
            10113 10203 10810 10811
            """
        ),
        Group(
            .never,
            .instrumentInvalid,
            """
            3183 3356 10110 10812 20110 20111
            """
        ),
    ]
}
