-- One row a ride: later rows of a ride take the place of earlier ones.
{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id', partition_by=['town'],
          on_schema_change='append_new_columns') }}
select id, fare, ts {% if var('tips', false) %}, fare / 10 as tip {% endif %}, town from {{ ref('rides') }}
{% if is_incremental() %} where ts > (select max(ts) from {{ this }}) {% endif %}
