"""What the ports are made of on this machine."""
