-- A partition a town, each overwritten by a run that has rows of it.
{{ config(materialized='incremental', incremental_strategy='insert_overwrite', partition_by=['town']) }}
select count(*) as rides, sum(fare) as fare, town from {{ ref('newest') }} group by town
