"""The tables of TPC-DS: their primary keys, and the files that DuckDB's generator makes of them."""

from __future__ import annotations

from pathlib import Path

KEYS: dict[str, tuple[str, ...]] = {
    "call_center": ("cc_call_center_sk",),
    "catalog_page": ("cp_catalog_page_sk",),
    "catalog_returns": ("cr_item_sk", "cr_order_number"),
    "catalog_sales": ("cs_item_sk", "cs_order_number"),
    "customer": ("c_customer_sk",),
    "customer_address": ("ca_address_sk",),
    "customer_demographics": ("cd_demo_sk",),
    "date_dim": ("d_date_sk",),
    "household_demographics": ("hd_demo_sk",),
    "income_band": ("ib_income_band_sk",),
    "inventory": ("inv_date_sk", "inv_item_sk", "inv_warehouse_sk"),
    "item": ("i_item_sk",),
    "promotion": ("p_promo_sk",),
    "reason": ("r_reason_sk",),
    "ship_mode": ("sm_ship_mode_sk",),
    "store": ("s_store_sk",),
    "store_returns": ("sr_item_sk", "sr_ticket_number"),
    "store_sales": ("ss_item_sk", "ss_ticket_number"),
    "time_dim": ("t_time_sk",),
    "warehouse": ("w_warehouse_sk",),
    "web_page": ("wp_web_page_sk",),
    "web_returns": ("wr_item_sk", "wr_order_number"),
    "web_sales": ("ws_item_sk", "ws_order_number"),
    "web_site": ("web_site_sk",),
}
#: The generator has the name of the specification's later version; q30 has that of the earlier one.
RENAMED = {"customer": {"c_last_review_date_sk": "c_last_review_date"}}


def extension() -> Path:
    """The extension of DuckDB that the package brings."""
    import duckdb_extension_tpcds

    return next((Path(duckdb_extension_tpcds.__file__).parent / "extensions").glob("v*/tpcds.duckdb_extension"))


def generate(folder: Path, scale: float) -> None:
    """Make the files of the tables that are not there yet."""
    wanted = {table: folder / f"{table}.parquet" for table in KEYS}
    if all(file.exists() for file in wanted.values()):
        return
    try:
        import duckdb
    except ImportError as e:
        raise SystemExit("DuckDB, which generates the data, is missing: pip install '.[tpcds]'") from e
    folder.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as db:
        db.execute(f"LOAD '{extension()}'")
        db.execute(f"CALL dsdgen(sf={scale})")
        for table, file in wanted.items():
            names = ", ".join(f"{old} AS {new}" for old, new in RENAMED.get(table, {}).items())
            columns = f"* EXCLUDE ({', '.join(RENAMED[table])}), {names}" if names else "*"
            arriving = file.with_suffix(".part")
            db.execute(f"COPY (SELECT {columns} FROM {table}) TO '{arriving}' (FORMAT parquet)")
            arriving.rename(file)
