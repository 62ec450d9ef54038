"""What the machine offers: threads and memory."""
