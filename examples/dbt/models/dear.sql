{{ config(materialized='view') }}
select * from {{ ref('newest') }} where fare > 12
