"""What train_encoder.py, average_encoders.py and train_background.py are made of."""
