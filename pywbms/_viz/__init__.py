"""The drawing behind `pywbms.plot`."""
