// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @dev Public keys for tests, since the runner has no cheat code that gives one. Never for secrets.
library Secp256k1 {
    uint256 internal constant ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;
    uint256 private constant P = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEFFFFFC2F;
    uint256 private constant GX = 0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798;
    uint256 private constant GY = 0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8;

    /// @dev The point `privateKey * G`, by double and add in Jacobian coordinates.
    function publicKey(uint256 privateKey) internal view returns (uint256 x, uint256 y) {
        uint256 z = 0;
        for (uint256 bit = 1 << 255; bit != 0; bit >>= 1) {
            if (z != 0) (x, y, z) = double(x, y, z);
            if (privateKey & bit == 0) continue;
            if (z == 0) (x, y, z) = (GX, GY, 1);
            else (x, y, z) = addG(x, y, z);
        }
        uint256 inverse = power(z, P - 2);
        uint256 square = mulmod(inverse, inverse, P);
        return (mulmod(x, square, P), mulmod(y, mulmod(square, inverse, P), P));
    }

    function double(uint256 x, uint256 y, uint256 z) private pure returns (uint256, uint256, uint256) {
        uint256 yy = mulmod(y, y, P);
        uint256 s = mulmod(4, mulmod(x, yy, P), P);
        uint256 m = mulmod(3, mulmod(x, x, P), P);
        uint256 x3 = addmod(mulmod(m, m, P), P - addmod(s, s, P), P);
        uint256 y3 = addmod(mulmod(m, addmod(s, P - x3, P), P), P - mulmod(8, mulmod(yy, yy, P), P), P);
        return (x3, y3, mulmod(2, mulmod(y, z, P), P));
    }

    /// @dev Adds G; the two points differ, as long as the key is below the order.
    function addG(uint256 x, uint256 y, uint256 z) private pure returns (uint256, uint256, uint256) {
        uint256 zz = mulmod(z, z, P);
        uint256 h = addmod(mulmod(GX, zz, P), P - x, P);
        if (h == 0) return double(x, y, z);
        uint256 r = addmod(mulmod(GY, mulmod(zz, z, P), P), P - y, P);
        uint256 hh = mulmod(h, h, P);
        uint256 hhh = mulmod(hh, h, P);
        uint256 v = mulmod(x, hh, P);
        uint256 x3 = addmod(addmod(mulmod(r, r, P), P - hhh, P), P - addmod(v, v, P), P);
        uint256 y3 = addmod(mulmod(r, addmod(v, P - x3, P), P), P - mulmod(y, hhh, P), P);
        return (x3, y3, mulmod(z, h, P));
    }

    function power(uint256 base, uint256 exponent) private view returns (uint256 result) {
        (, bytes memory output) = address(5).staticcall(abi.encode(32, 32, 32, base, exponent, P));
        return abi.decode(output, (uint256));
    }
}
