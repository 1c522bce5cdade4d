-- The table above as a merge-on-read one.
{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id',
          options={'type': 'mor', 'preCombineField': 'ts'}) }}
select * from {{ ref('rides') }}
