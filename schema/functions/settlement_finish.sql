-- Ends an import whose lines are kept: supersedes what the file corrects, matches, books, looks at what does not fit, and gives all of it one
-- place in the log. A file whose period was named corrects the newest one of the same period; the same bytes read by another mapping correct
-- themselves, unless they are said to stand alone. A correction whose period is not named is about the days that were named for what it corrects.
CREATE OR REPLACE FUNCTION paystream.settlement_finish(
    of_merchant int, of_account uuid, of_file uuid, of_digest bytea, of_mapping int, of_lines int, of_totals json, of_zone text,
    first_day date, end_day date, given_corrects uuid, window_days int, by_amount text, of_actor text, of_rounding int DEFAULT 0,
    of_alone boolean DEFAULT false)
RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    held paystream.settlement_account;
    begins timestamptz := paystream.day_begins(first_day, of_zone);
    ends timestamptz := paystream.day_begins(end_day, of_zone);
    is_stated boolean := first_day IS NOT NULL;
    corrected uuid := given_corrects;
    margin interval;
    stamp CONSTANT timestamptz := clock_timestamp();
BEGIN
    PERFORM paystream.settlement_hold(of_merchant, of_account, stamp);
    IF corrected IS NULL AND NOT of_alone THEN
        SELECT f.id INTO corrected FROM paystream.settlement_file f
          JOIN paystream.settlement_act a ON a.merchant = f.merchant AND a.id = f.act
          JOIN paystream.settlement_mapping m ON m.merchant = f.merchant AND m.account = f.account AND m.version = f.mapping
          -- Days are those of the zone by which they were named.
          CROSS JOIN LATERAL (SELECT coalesce(m.document ->> 'zone', of_zone) AS zone) z
         WHERE f.merchant = of_merchant AND f.account = of_account
           AND (f.digest = of_digest OR first_day IS NOT NULL AND f.is_stated AND (f.begins_at AT TIME ZONE z.zone)::date = first_day
                    AND (f.ends_at AT TIME ZONE z.zone)::date = end_day)
         ORDER BY a.pos DESC LIMIT 1;
    END IF;
    IF is_stated THEN
        IF EXISTS (SELECT FROM paystream.settlement_line l
                    WHERE l.merchant = of_merchant AND l.file = of_file AND (l.at < begins OR l.at >= ends)) THEN
            RAISE EXCEPTION USING ERRCODE = 'PS040', MESSAGE = 'a line is outside of the period';
        END IF;
    ELSE
        SELECT paystream.day_begins((min(l.at) AT TIME ZONE of_zone)::date, of_zone),
               paystream.day_begins((max(l.at) AT TIME ZONE of_zone)::date + 1, of_zone)
          INTO begins, ends
          FROM paystream.settlement_line l WHERE l.merchant = of_merchant AND l.file = of_file;
        SELECT coalesce(f.begins_at, o.begins), coalesce(f.ends_at, o.ends), f.id IS NOT NULL INTO begins, ends, is_stated
          FROM (VALUES (begins, ends)) AS o (begins, ends)
          LEFT JOIN paystream.settlement_file f ON f.merchant = of_merchant AND f.id = paystream.settlement_newest(of_merchant, corrected)
           AND f.is_stated AND f.begins_at <= o.begins AND f.ends_at >= o.ends;
    END IF;
    INSERT INTO paystream.settlement_file (merchant, id, account, digest, mapping, act, begins_at, ends_at, is_stated, lines, totals,
        corrects)
    VALUES (of_merchant, of_file, of_account, of_digest, of_mapping, of_file, begins, ends, is_stated, of_lines, of_totals,
        corrected);
    PERFORM paystream.settlement_analyze(of_lines, 'line');
    IF corrected IS NOT NULL THEN
        PERFORM paystream.settlement_supersede(of_merchant, of_file, corrected, of_file);
    END IF;
    UPDATE paystream.settlement_account a SET since = s.since, through = s.through, reviewed_at = stamp
      FROM paystream.settlement_span(of_merchant, of_account) s WHERE a.merchant = of_merchant AND a.account = of_account;
    held := paystream.settlement_hold(of_merchant, of_account, stamp);
    -- Evidence comes late, and a line's day need not be ours.
    margin := (35 + held.delay_days) * interval '1 day';
    IF corrected IS NOT NULL THEN
        -- No file is about days anywhere near theirs any longer.
        UPDATE paystream.settlement_exception x SET ended_act = of_file, outcome = 'superseded'
         WHERE x.merchant = of_merchant AND x.account = of_account AND x.ended_act IS NULL AND x.file IS NULL
           AND x.class IN ('missingThere', 'timing') AND (x.at < held.since - margin OR x.at >= held.through + margin);
    END IF;
    PERFORM paystream.settlement_match(of_merchant, of_account, of_file, of_file, window_days, by_amount, of_lines);
    PERFORM paystream.settlement_raise(of_merchant, of_account, of_file, of_file, stamp);
    PERFORM paystream.settlement_analyze(of_lines, 'exception');
    PERFORM paystream.settlement_book(of_merchant, of_account, of_file, of_file);
    IF corrected IS NOT NULL THEN
        PERFORM paystream.settlement_single(of_merchant, of_account, of_file, stamp);
    END IF;
    PERFORM paystream.settlement_round(of_merchant, of_account, of_file, of_file, of_rounding);
    PERFORM paystream.settlement_analyze(of_lines, 'entry');
    PERFORM paystream.settlement_review(of_merchant, of_account, of_file, greatest(held.since, begins - margin), held.through,
        held.through - held.delay_days * interval '1 day', stamp);
    PERFORM paystream.settlement_round_again(of_merchant, of_account, of_file);
    RETURN paystream.settlement_acted(of_merchant, of_file, of_actor, 'import');
END
$$;
