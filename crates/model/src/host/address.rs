//! Which addresses anybody may be at: not this machine, not its neighbours, not one address dressed
//! as another.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => !NOT_PUBLIC_V4.iter().any(|net| net.holds(v4)),
        IpAddr::V6(v6) => {
            // Only this eighth of the room is given out; mapped, compatible and translated
            // addresses, unique local, link-local and multicast ones all lie elsewhere.
            let given_out = v6.segments()[0] & 0xe000 == 0x2000;
            given_out && !NOT_PUBLIC_V6.iter().any(|net| net.holds(v6))
        }
    }
}

struct V4(u8, u8, u8, u8, u32);

impl V4 {
    fn holds(&self, address: Ipv4Addr) -> bool {
        let mask = u32::MAX << (32 - self.4);
        let net = Ipv4Addr::new(self.0, self.1, self.2, self.3);
        net.to_bits() == address.to_bits() & mask
    }
}

const NOT_PUBLIC_V4: [V4; 16] = [
    V4(0, 0, 0, 0, 8),        // "this network"; 0.0.0.0 is this machine
    V4(10, 0, 0, 0, 8),       // private
    V4(100, 64, 0, 0, 10),    // carriers' own, and some clouds' metadata
    V4(127, 0, 0, 0, 8),      // loopback
    V4(168, 63, 129, 16, 32), // Azure's metadata, at what looks like a public address
    V4(169, 254, 0, 0, 16),   // link-local, and most clouds' metadata
    V4(172, 16, 0, 0, 12),    // private
    V4(192, 0, 0, 0, 24),     // protocols' own
    V4(192, 0, 2, 0, 24),     // documentation
    V4(192, 88, 99, 0, 24),   // 6to4 relays
    V4(192, 168, 0, 0, 16),   // private
    V4(198, 18, 0, 0, 15),    // benchmarks
    V4(198, 51, 100, 0, 24),  // documentation
    V4(203, 0, 113, 0, 24),   // documentation
    V4(224, 0, 0, 0, 4),      // multicast
    V4(240, 0, 0, 0, 4),      // reserved, broadcast among it
];

struct V6(u16, u16, u32);

impl V6 {
    fn holds(&self, address: Ipv6Addr) -> bool {
        let mask = u128::MAX << (128 - self.2);
        let net = Ipv6Addr::new(self.0, self.1, 0, 0, 0, 0, 0, 0);
        net.to_bits() == address.to_bits() & mask
    }
}

const NOT_PUBLIC_V6: [V6; 4] = [
    V6(0x2001, 0, 23),     // protocols' own, Teredo among them
    V6(0x2001, 0xdb8, 32), // documentation
    V6(0x2002, 0, 16),     // 6to4: an IPv4 address inside
    V6(0x3fff, 0, 20),     // documentation
];
