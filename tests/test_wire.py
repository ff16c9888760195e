from querymend.testing import athena_stand_in
import pyathena
def test_x(athena_stand_in, shop):
    s=athena_stand_in(shop,database="shop")
    with pyathena.connect(**s.client,schema_name="shop",s3_staging_dir=s.output,poll_interval=0.01) as c, c.cursor() as cur:
        assert cur.execute("SELECT count(*) FROM orders").fetchall()==[(4,)]
    assert s.running()==[]
