"""The one place that names the version; the jars and the Maven coordinates take it from here."""

__version__ = "0.1.0"
