"""What results offer beside their numbers: tables and words."""
