"""The rooms behind `pywbms.distributed`: what runs on the workers, and what leads them."""
