"""The memory provider of Hermes Agent. The host loads it through the shim in `hermes-plugin/`."""
