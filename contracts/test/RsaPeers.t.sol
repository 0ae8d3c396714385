// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IPeerRegistry} from "../src/interfaces/IPeerRegistry.sol";
import {RsaKeys} from "../src/libraries/RsaKeys.sol";
import {RsaKey} from "./RsaKey.sol";
import {SwarmFixture} from "./SwarmFixture.sol";

contract RsaPeersTest is SwarmFixture {
    address internal constant ALICE = address(0xA11CE);
    address internal constant BOB = address(0xB0B);

    function test_RegistersAnRsaPeerUnderItsDerivedId() public {
        bytes32 peerKey = register(ALICE);
        string memory peerId = registry.peerIdOf(peerKey);
        vm.assertEq(keccak256(bytes(peerId)), peerKey);
        vm.assertEq(bytes(peerId).length, 46);
        vm.assertEq(bytes32(bytes(peerId)) >> 240, bytes32("Qm") >> 240);
        vm.assertEq(registry.accountOf(peerKey), ALICE);
        vm.assertEq(registry.peerIdsOf(ALICE, 0, 9)[0], peerId);
        vm.assertEq(registry.nonces(ALICE), 1);
    }

    function test_ThePeerMovesByItsKeyAndKeepsItsId() public {
        bytes32 other = enrol(1, ALICE);
        bytes32 peerKey = register(ALICE);
        string memory peerId = registry.peerIdOf(peerKey);
        bytes memory signature = proof(BOB, 0, block.timestamp);
        vm.expectEmit(address(registry));
        emit IPeerRegistry.PeerMoved(peerKey, ALICE, BOB);
        submit(BOB, signature);
        vm.assertEq(registry.peerIdOf(peerKey), peerId);
        vm.assertEq(registry.peersOf(ALICE, 0, 9)[0], other);
        vm.assertEq(registry.peerCount(ALICE), 1);
    }

    function test_TheKeyIsWrittenAsLibp2pWritesIt() public view {
        vm.assertEq(keccak256(this.protobufOf(RsaKey.MODULUS, 65537)), keccak256(RsaKey.protobuf()));
    }

    /// @dev The lengths in the DER are those of what follows, for every modulus and exponent that is allowed.
    function testFuzz_TheKeysLengthsAddUp(uint256 size, uint256 draw) public view {
        bytes memory modulus = new bytes(bound(size, 256, 512));
        modulus[0] = bytes1(uint8(bound(draw, 1, 255)));
        uint32 exponent = uint32(bound(draw >> 8, 65537, type(uint32).max));
        bytes memory encoded = this.protobufOf(modulus, exponent);
        vm.assertEq((uint256(uint8(encoded[3])) & 0x7f) | (uint256(uint8(encoded[4])) << 7), encoded.length - 5);
        vm.assertEq(two(encoded, 7), encoded.length - 9);
        vm.assertEq(two(encoded, 26), encoded.length - 28);
        vm.assertEq(two(encoded, 31), encoded.length - 33);
        uint256 modulusLength = two(encoded, 35);
        vm.assertEq(modulusLength, modulus.length + (uint8(modulus[0]) > 127 ? 1 : 0));
        uint256 exponentLength = uint8(encoded[38 + modulusLength]);
        vm.assertEq(39 + modulusLength + exponentLength, encoded.length);
        uint256 decoded = 0;
        for (uint256 i = 0; i < exponentLength; ++i) decoded = decoded * 256 + uint8(encoded[39 + modulusLength + i]);
        vm.assertEq(decoded, exponent);
        vm.assertLe(uint8(encoded[39 + modulusLength]), 127);
    }

    /// @dev A first bit of one would be a sign: from there on an integer takes a byte more.
    function test_AnExponentIsNeverWrittenAsANegativeNumber() public view {
        expectExponent((1 << 23) - 1, hex"02037fffff");
        expectExponent(1 << 23, hex"020400800000");
        expectExponent((1 << 31) - 1, hex"02047fffffff");
        expectExponent(1 << 31, hex"02050080000000");
    }

    function expectExponent(uint32 exponent, bytes memory der) internal view {
        bytes memory encoded = this.protobufOf(RsaKey.MODULUS, exponent);
        bytes memory end = new bytes(der.length);
        for (uint256 i = 0; i < end.length; ++i) end[i] = encoded[encoded.length - end.length + i];
        vm.assertEq(keccak256(end), keccak256(der));
    }

    function test_RevertWhen_TheModulusIsNotOf2048To4096Bits() public {
        expectModulusSize(0, 0);
        expectModulusSize(255, 2040);
        expectModulusSize(513, 4104);
        bytes memory modulus = RsaKey.MODULUS;
        modulus[0] = 0x7f;
        expectRefusal(modulus, 65537, abi.encodeWithSelector(IPeerRegistry.PeerRegistry_ModulusSize.selector, 2047));
    }

    function test_RevertWhen_TheModulusHasALeadingZeroOrIsEven() public {
        bytes memory even = RsaKey.MODULUS;
        uint8 last = uint8(even[255]);
        expectRefusal(abi.encodePacked(bytes1(0), RsaKey.MODULUS), 65537, malformed(0, last));
        even[255] &= 0xfe;
        expectRefusal(even, 65537, malformed(uint8(even[0]), last - 1));
    }

    /// @dev Zeros in front count as no bits: with one more byte than the longest key has, it is not the size that is wrong.
    function test_RevertWhen_TheLongestModulusHasALeadingZero() public {
        expectRefusal(new bytes(513), 65537, malformed(0, 0));
    }

    function test_AFirstBitOfOneAloneIsASign() public view {
        bytes memory modulus = new bytes(256);
        modulus[0] = 0x80;
        vm.assertEq(two(this.protobufOf(modulus, 65537), 35), 257);
        modulus[0] = 0x7f;
        vm.assertEq(two(this.protobufOf(modulus, 65537), 35), 256);
    }

    function test_RevertWhen_TheExponentIsSmallOrEven() public {
        uint32[5] memory weak = [uint32(0), 1, 3, 65535, 65538];
        for (uint256 i = 0; i < weak.length; ++i) {
            expectRefusal(
                RsaKey.MODULUS,
                weak[i],
                abi.encodeWithSelector(IPeerRegistry.PeerRegistry_WeakExponent.selector, weak[i])
            );
        }
    }

    /// @dev A proof is good for one account, nonce, deadline and contract.
    function test_RevertWhen_TheProofIsOverOtherWords() public {
        uint256 deadline = block.timestamp;
        expectWrong(proof(BOB, 0, deadline));
        expectWrong(proof(ALICE, 1, deadline));
        expectWrong(proof(ALICE, 0, deadline + 1));
        expectWrong(sign(digestOf(address(this), RsaKey.protobuf(), ALICE, 0, deadline)));
        expectWrong(sign(digestOf(address(registry), new bytes(64), ALICE, 0, deadline)));
    }

    function test_RevertWhen_TheProofIsOfAnotherChain() public {
        bytes memory elsewhere = proof(ALICE, 0, block.timestamp);
        vm.chainId(block.chainid + 1);
        expectWrong(elsewhere);
    }

    function test_RevertWhen_TheProofIsReplayed() public {
        bytes memory used = proof(ALICE, 0, block.timestamp);
        submit(ALICE, used);
        submit(BOB, proof(BOB, 0, block.timestamp));
        // Alice's old proof must not take the peer back: her nonce has moved on.
        bytes32 words = wordsOf(ALICE, 1, block.timestamp);
        vm.expectRevert(abi.encodeWithSelector(IPeerRegistry.PeerRegistry_WrongRsaSignature.selector, words));
        submit(ALICE, used);
    }

    function test_RevertWhen_TheDeadlineHasPassed() public {
        bytes memory signature = proof(ALICE, 0, block.timestamp - 1);
        vm.expectRevert(
            abi.encodeWithSelector(
                IPeerRegistry.PeerRegistry_DeadlinePassed.selector,
                block.timestamp - 1,
                block.timestamp
            )
        );
        vm.prank(ALICE);
        registry.registerRsa(RsaKey.MODULUS, 65537, signature, block.timestamp - 1);
    }

    function test_RevertWhen_TheSignatureIsMalformed() public {
        bytes memory good = proof(ALICE, 0, block.timestamp);
        expectWrong("");
        expectWrong(new bytes(256));
        expectWrong(abi.encodePacked(bytes1(0), good));
        expectWrong(RsaKey.MODULUS);
        good[100] ^= 0x01;
        expectWrong(good);
    }

    /// @dev Signature + modulus is the same number modulo it, where it fits the length.
    function test_RevertWhen_TheSignatureIsNotReduced() public {
        expectWrong(plus(proof(ALICE, 0, block.timestamp), RsaKey.MODULUS));
    }

    function testFuzz_RevertWhen_ThePaddingIsNotPkcs1(uint256 at, uint8 change) public {
        bytes memory message = abi.encode(wordsOf(ALICE, 0, block.timestamp));
        bytes memory block_ = RsaKey.padded(sha256(message));
        // Any other block, but one that is not below the modulus.
        uint256 i = bound(at, 1, 255);
        if (change == 0) change = 1;
        block_[i] ^= bytes1(change);
        expectWrong(RsaKey.power(block_));
    }

    function test_RevertWhen_AlreadyRegistered() public {
        bytes32 peerKey = register(ALICE);
        bytes memory signature = proof(ALICE, 1, block.timestamp);
        vm.expectRevert(abi.encodeWithSelector(IPeerRegistry.PeerRegistry_AlreadyRegistered.selector, peerKey, ALICE));
        submit(ALICE, signature);
    }

    function protobufOf(bytes calldata modulus, uint32 exponent) external pure returns (bytes memory encoded) {
        return RsaKeys.protobufOf(modulus, exponent);
    }

    function register(address account) internal returns (bytes32 peerKey) {
        return submit(account, proof(account, registry.nonces(account), block.timestamp));
    }

    function submit(address account, bytes memory signature) internal returns (bytes32 peerKey) {
        vm.prank(account);
        return registry.registerRsa(RsaKey.MODULUS, RsaKey.EXPONENT, signature, block.timestamp);
    }

    function wordsOf(address account, uint256 nonce, uint256 deadline) internal view returns (bytes32 words) {
        return digestOf(address(registry), RsaKey.protobuf(), account, nonce, deadline);
    }

    function proof(address account, uint256 nonce, uint256 deadline) internal view returns (bytes memory signature) {
        return sign(wordsOf(account, nonce, deadline));
    }

    function sign(bytes32 words) internal view returns (bytes memory signature) {
        return RsaKey.sign(abi.encode(words));
    }

    function expectWrong(bytes memory signature) internal {
        bytes32 words = wordsOf(ALICE, 0, block.timestamp);
        vm.expectRevert(abi.encodeWithSelector(IPeerRegistry.PeerRegistry_WrongRsaSignature.selector, words));
        submit(ALICE, signature);
    }

    function expectModulusSize(uint256 length, uint256 bits) internal {
        bytes memory modulus = new bytes(length);
        if (length != 0) modulus[0] = 0xff;
        expectRefusal(modulus, 65537, abi.encodeWithSelector(IPeerRegistry.PeerRegistry_ModulusSize.selector, bits));
    }

    function expectRefusal(bytes memory modulus, uint32 exponent, bytes memory refusal) internal {
        vm.expectRevert(refusal);
        vm.prank(ALICE);
        registry.registerRsa(modulus, exponent, new bytes(256), block.timestamp);
    }

    function two(bytes memory data, uint256 at) internal pure returns (uint256 value) {
        return uint256(uint8(data[at])) * 256 + uint8(data[at + 1]);
    }

    function plus(bytes memory a, bytes memory b) internal pure returns (bytes memory sum) {
        sum = new bytes(256);
        uint256 carry = 0;
        for (uint256 i = 256; i > 0; --i) {
            carry += uint256(uint8(a[i - 1])) + uint8(b[i - 1]);
            sum[i - 1] = bytes1(uint8(carry));
            carry >>= 8;
        }
        // A sum that does not fit is refused as any other wrong number.
    }

    function malformed(uint8 first, uint8 last) internal pure returns (bytes memory refusal) {
        return abi.encodeWithSelector(IPeerRegistry.PeerRegistry_MalformedModulus.selector, first, last);
    }
}
