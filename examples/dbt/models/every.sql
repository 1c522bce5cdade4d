-- Every row of every run, without keys.
{{ config(materialized='incremental', incremental_strategy='append') }}
select * from {{ ref('rides') }}
