{{ config(materialized='table', unique_key='country') }}
select country, sum(fare) as fare from {{ ref('newest') }} join {{ ref('towns') }} using (town) group by country
