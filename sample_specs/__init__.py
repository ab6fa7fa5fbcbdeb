"""The back office of Tarnbrook Trading, a made-up wholesaler: specs to try the product on."""
