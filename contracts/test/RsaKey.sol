// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @dev A 2048-bit RSA key for tests, made for them alone, and its signatures. Never for secrets.
library RsaKey {
    uint32 internal constant EXPONENT = 65537;

    bytes internal constant MODULUS =
        hex"adc477ef1f56e2f550bda144def09bf4a7d072a57c100e56b178f72e2f9da82a"
        hex"3b9374e6632a8ea8f097ff752f4e8f1433498d1f927dbf50043624bcf952cbfb"
        hex"5d0d48de1b4dc5d344a1dc3028c7f84d2eb9d1992d2799c12ed6f19f71bf3775"
        hex"12edc657f345f51f3746cd3409e377f7b16f93efaa61ef505cffd7f23e7a71eb"
        hex"51b01552c90ff0aef2fd83b818d75f21fcffe933e8bcde7b55b965d40e8564f9"
        hex"4406a610a66301fe3a4269d1448b130a49b8777eeb81ab41f0099c19429763f1"
        hex"5b78b73af3bdd68c86bffed693f0a8d602ac83f8228ed1241f13fd0fdb156830"
        hex"e42aee74473c9e8cfa7c4af87d002173731455dd5df5f000c499612ce273b88d";

    bytes private constant PRIVATE_EXPONENT =
        hex"055c0496f625d28f891350360a3f96e524dd390156f79279a4b4fbc00b97ebe7"
        hex"e18e85672b07d4fe96426f3948b6e8e8269778d2d077306a0cb734203550686f"
        hex"8849db457e7217a291d601849012c585c6907f4bca28be8546d1e501eb458a8b"
        hex"01da7393a2dd35823ba238bcb226b73c872c79d39a886013dfca6ef94f140264"
        hex"c2a0e85130f67b1caad07ac4a6e203122b3fc797756237d310ab9b3f6a216d80"
        hex"bb4dccfb6c6b35b40d40e4cff4e8b3458f1c084ceacbac47c830ee767ba8e925"
        hex"9c185c0f1a0a2fa9ef1e50600a578c4fbc372d106fbe072e6a3a3501b0b91dcc"
        hex"9e82919b7e8244f6af37d7e1ead4e751a5c00b21c6d7dbde52ff518ec698d5c1";

    /// @dev The DER of `SEQUENCE { SEQUENCE { OID sha256, NULL }, OCTET STRING (32 bytes) }` up to the digest.
    bytes19 private constant SHA256_INFO = 0x3031300d060960864801650304020105000420;

    /// @dev PKCS#1 v1.5 with SHA-256 over a message, as libp2p's RSA keys sign.
    function sign(bytes memory message) internal view returns (bytes memory signature) {
        return power(padded(sha256(message)));
    }

    /// @dev EMSA-PKCS1-v1_5: 00 01 ff … ff 00 DigestInfo.
    function padded(bytes32 digest) internal pure returns (bytes memory block_) {
        bytes memory padding = new bytes(256 - 3 - 19 - 32);
        for (uint256 i = 0; i < padding.length; ++i) padding[i] = 0xff;
        return abi.encodePacked(bytes2(0x0001), padding, bytes1(0), SHA256_INFO, digest);
    }

    /// @dev The private operation on a block, well padded or not.
    function power(bytes memory block_) internal view returns (bytes memory signature) {
        bytes memory input = abi.encodePacked(
            uint256(256),
            uint256(256),
            uint256(256),
            block_,
            PRIVATE_EXPONENT,
            MODULUS
        );
        (, signature) = address(5).staticcall(input);
    }

    /// @dev Its libp2p protobuf form, written by OpenSSL's DER, so that the contract is not its own judge.
    function protobuf() internal pure returns (bytes memory encoded) {
        return
            abi.encodePacked(
                hex"080012a602",
                hex"30820122300d06092a864886f70d01010105000382010f003082010a0282010100",
                MODULUS,
                hex"0203010001"
            );
    }
}
