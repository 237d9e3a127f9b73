"""Programs of the user: as whom they run, how they are asked, and what ends them."""
