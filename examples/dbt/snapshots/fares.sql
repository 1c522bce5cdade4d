{% snapshot fares %}
{{ config(unique_key='id', strategy='check', check_cols=['fare'], target_schema='rides') }}
select id, fare from {{ ref('rides') }}
{% endsnapshot %}
