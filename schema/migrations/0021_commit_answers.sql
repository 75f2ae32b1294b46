-- The function answers two columns more; its answer's type can only change when it is made anew.
DROP FUNCTION IF EXISTS paystream.commit;
