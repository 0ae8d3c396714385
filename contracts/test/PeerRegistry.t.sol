// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IPeerRegistry} from "../src/interfaces/IPeerRegistry.sol";
import {Secp256k1} from "./Secp256k1.sol";
import {SwarmFixture} from "./SwarmFixture.sol";

contract PeerRegistryTest is SwarmFixture {
    address internal constant ALICE = address(0xA11CE);
    address internal constant BOB = address(0xB0B);

    /// @dev Peer id of private key 1, as @libp2p/peer-id derives it.
    string internal constant PEER_ID_OF_ONE = "16Uiu2HAm3cuhhRL2msUuLF62KRSfneFDx94RsuouyW25Ho42cFMq";

    function test_RegistersAPeerUnderItsDerivedId() public {
        bytes32 peerKey = keccak256(bytes(PEER_ID_OF_ONE));
        Wallet memory wallet = walletOf(1);
        bytes memory signature = proofOf(wallet, ALICE, block.timestamp);
        vm.expectEmit(address(registry));
        emit IPeerRegistry.PeerRegistered(peerKey, ALICE, PEER_ID_OF_ONE, 2);
        vm.prank(ALICE);
        bytes32 returned = registry.register(wallet.publicKey, signature, block.timestamp);

        vm.assertEq(returned, peerKey);
        vm.assertEq(registry.accountOf(peerKey), ALICE);
        vm.assertEq(registry.peerIdOf(peerKey), PEER_ID_OF_ONE);
        vm.assertEq(registry.peerCount(ALICE), 1);
        vm.assertEq(registry.nonces(ALICE), 1);
    }

    function testFuzz_KeyIsTheHashOfTheId(uint256 privateKey) public {
        bytes32 peerKey = enrol(bound(privateKey, 1, Secp256k1.ORDER - 1), ALICE);
        string memory peerId = registry.peerIdOf(peerKey);
        vm.assertEq(keccak256(bytes(peerId)), peerKey);
        vm.assertEq(bytes(peerId).length, 53);
    }

    function test_HoldsManyPeersInPages() public {
        bytes32[] memory keys = new bytes32[](5);
        for (uint256 i = 0; i < 5; ++i) keys[i] = enrol(i + 1, ALICE);

        vm.assertEq(registry.peersOf(ALICE, 0, 5), keys);
        vm.assertEq(registry.peersOf(ALICE, 0, type(uint256).max), keys);
        vm.assertEq(registry.peersOf(ALICE, 3, 5).length, 2);
        vm.assertEq(registry.peersOf(ALICE, 3, 5)[1], keys[4]);
        vm.assertEq(registry.peersOf(ALICE, 1, 2)[0], keys[1]);
        vm.assertEq(registry.peersOf(ALICE, 5, 5).length, 0);
        vm.assertEq(registry.peersOf(ALICE, type(uint256).max, type(uint256).max).length, 0);
        vm.assertEq(registry.peersOf(BOB, 0, 5).length, 0);
    }

    function test_TheKeyMovesThePeerToAnotherAccount() public {
        bytes32 first = enrol(1, ALICE);
        bytes32 second = enrol(2, ALICE);
        Wallet memory wallet = walletOf(1);
        bytes memory signature = proofOf(wallet, BOB, block.timestamp);
        vm.expectEmit(address(registry));
        emit IPeerRegistry.PeerMoved(first, ALICE, BOB);
        vm.prank(BOB);
        registry.register(wallet.publicKey, signature, block.timestamp);

        vm.assertEq(registry.accountOf(first), BOB);
        vm.assertEq(registry.peerIdOf(first), PEER_ID_OF_ONE);
        vm.assertEq(registry.peersOf(BOB, 0, 9)[0], first);
        vm.assertEq(registry.peerCount(ALICE), 1);
        vm.assertEq(registry.peersOf(ALICE, 0, 9)[0], second);
    }

    function test_AKeyCountsFromTheFirstRoundIfItWasRegisteredBefore() public {
        (address account, uint64 fromRound) = registry.membershipOf(enrol(1, ALICE));
        vm.assertEq(account, ALICE);
        vm.assertEq(fromRound, 0);
        (account, fromRound) = registry.membershipOf(keccak256("nobody"));
        vm.assertEq(account, address(0));
        vm.assertEq(fromRound, 0);
        vm.assertEq(address(registry.rounds()), address(rounds));
    }

    function test_AMoveDoesNotChangeWhenAKeyCounts() public {
        vm.warp(START + 3 * LENGTH);
        bytes32 peerKey = enrolNow(1, ALICE);
        vm.warp(START + 9 * LENGTH);
        enrolNow(1, BOB);
        (address account, uint64 fromRound) = registry.membershipOf(peerKey);
        vm.assertEq(account, BOB);
        vm.assertEq(fromRound, 5);
    }

    function test_RevertWhen_AlreadyRegistered() public {
        bytes32 peerKey = enrol(1, ALICE);
        Wallet memory wallet = walletOf(1);
        bytes memory signature = proofOf(wallet, ALICE, block.timestamp);
        vm.expectRevert(abi.encodeWithSelector(IPeerRegistry.PeerRegistry_AlreadyRegistered.selector, peerKey, ALICE));
        vm.prank(ALICE);
        registry.register(wallet.publicKey, signature, block.timestamp);
    }

    function test_RevertWhen_PublicKeyIsNot64Bytes() public {
        uint256[3] memory lengths = [uint256(0), 33, 65];
        for (uint256 i = 0; i < lengths.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IPeerRegistry.PeerRegistry_PublicKeyLength.selector, lengths[i]));
            registry.register(new bytes(lengths[i]), new bytes(65), block.timestamp);
        }
    }

    /// @dev Nobody holds a key that is not on the curve: whatever signs for it is another.
    function testFuzz_RevertWhen_ThePublicKeyIsNoPoint(uint256 x, uint256 y) public {
        bytes memory publicKey = abi.encode(x, y);
        bytes32 digest = digestOf(address(registry), publicKey, ALICE, 0, block.timestamp);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(1, digest);
        vm.expectRevert(
            abi.encodeWithSelector(
                IPeerRegistry.PeerRegistry_WrongSigner.selector,
                address(uint160(uint256(keccak256(publicKey)))),
                walletOf(1).addr
            )
        );
        vm.prank(ALICE);
        registry.register(publicKey, abi.encodePacked(r, s, v), block.timestamp);
    }

    function test_RevertWhen_DeadlineHasPassed() public {
        Wallet memory wallet = walletOf(1);
        uint256 deadline = block.timestamp - 1;
        bytes memory signature = proofOf(wallet, ALICE, deadline);
        vm.expectRevert(
            abi.encodeWithSelector(IPeerRegistry.PeerRegistry_DeadlinePassed.selector, deadline, block.timestamp)
        );
        vm.prank(ALICE);
        registry.register(wallet.publicKey, signature, deadline);
    }

    function test_RevertWhen_SignatureIsMalleated() public {
        Wallet memory wallet = walletOf(1);
        bytes32 digest = digestOf(address(registry), wallet.publicKey, ALICE, 0, block.timestamp);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(1, digest);
        bytes memory twin = abi.encodePacked(r, bytes32(Secp256k1.ORDER - uint256(s)), v == 27 ? uint8(28) : uint8(27));
        expectMalformed(wallet, twin, 3, bytes32(Secp256k1.ORDER - uint256(s)));
    }

    function test_RevertWhen_SignatureNamesItsPointOtherwise() public {
        Wallet memory wallet = walletOf(1);
        bytes memory other = proofOf(wallet, ALICE, block.timestamp);
        other[64] = bytes1(uint8(other[64]) - 27);
        expectMalformed(wallet, other, 1, 0);
    }

    function test_RevertWhen_SignatureIsNot65Bytes() public {
        expectMalformed(walletOf(1), new bytes(64), 2, bytes32(uint256(64)));
    }

    function test_RevertWhen_SignatureIsNoPoint() public {
        expectMalformed(walletOf(1), new bytes(65), 1, 0);
    }

    /// @dev A proof is good for one account, nonce, deadline and contract.
    function test_RevertWhen_ProofIsOverOtherWords() public {
        bytes memory publicKey = walletOf(1).publicKey;
        uint256 deadline = block.timestamp;
        expectWrongSigner(1, digestOf(address(registry), publicKey, BOB, 0, deadline));
        expectWrongSigner(1, digestOf(address(registry), publicKey, ALICE, 1, deadline));
        expectWrongSigner(1, digestOf(address(registry), publicKey, ALICE, 0, deadline + 1));
        expectWrongSigner(1, digestOf(address(this), publicKey, ALICE, 0, deadline));
        expectWrongSigner(1, digestOf(address(registry), new bytes(64), ALICE, 0, deadline));
    }

    function test_RevertWhen_ProofIsOfAnotherChain() public {
        bytes32 elsewhere = digestOf(address(registry), walletOf(1).publicKey, ALICE, 0, block.timestamp);
        vm.chainId(block.chainid + 1);
        expectWrongSigner(1, elsewhere);
    }

    function test_RevertWhen_ProofIsReplayed() public {
        Wallet memory wallet = walletOf(1);
        bytes memory used = proofOf(wallet, ALICE, type(uint256).max);
        vm.prank(ALICE);
        registry.register(wallet.publicKey, used, type(uint256).max);
        enrol(1, BOB);
        // Alice's old proof must not take the peer back: her nonce has moved on.
        bytes32 now_ = digestOf(address(registry), wallet.publicKey, ALICE, 1, type(uint256).max);
        vm.expectRevert(
            abi.encodeWithSelector(
                IPeerRegistry.PeerRegistry_WrongSigner.selector,
                wallet.addr,
                ecrecover(now_, uint8(used[64]), word(used, 0), word(used, 32))
            )
        );
        vm.prank(ALICE);
        registry.register(wallet.publicKey, used, type(uint256).max);
    }

    function testFuzz_RevertWhen_AnotherKeySigns(uint256 privateKey) public {
        privateKey = bound(privateKey, 2, Secp256k1.ORDER - 1);
        bytes memory publicKey = walletOf(1).publicKey;
        expectWrongSigner(privateKey, digestOf(address(registry), publicKey, ALICE, 0, block.timestamp));
    }

    function test_RevertWhen_PeerIsUnknown() public {
        vm.assertEq(registry.accountOf(bytes32("nobody")), address(0));
        vm.expectRevert(abi.encodeWithSelector(IPeerRegistry.PeerRegistry_UnknownPeer.selector, bytes32("nobody")));
        registry.peerIdOf(bytes32("nobody"));
    }

    function test_SetsTheBootnodes() public {
        string[] memory two = new string[](2);
        two[0] = "/ip4/127.0.0.1/tcp/4001/p2p/16Uiu2HAm3cuhhRL2msUuLF62KRSfneFDx94RsuouyW25Ho42cFMq";
        two[1] = "/dns4/boot.example/tcp/4001/p2p/16Uiu2HAm3cuhhRL2msUuLF62KRSfneFDx94RsuouyW25Ho42cFMq";
        vm.expectEmit(address(registry));
        emit IPeerRegistry.BootnodesSet(two);
        registry.setBootnodes(two);
        vm.assertEq(registry.bootnodes().length, 2);
        vm.assertEq(registry.bootnodes()[1], two[1]);
        registry.setBootnodes(new string[](0));
        vm.assertEq(registry.bootnodes().length, 0);
    }

    function test_RevertWhen_BootnodesAreSetWithoutTheRole() public {
        expectMissingRole(ALICE, registry.BOOTNODE_MANAGER_ROLE());
        vm.prank(ALICE);
        registry.setBootnodes(new string[](0));
    }

    function test_RolesPassByTheAdminAlone() public {
        bytes32 role = registry.BOOTNODE_MANAGER_ROLE();
        expectMissingRole(ALICE, bytes32(0));
        vm.prank(ALICE);
        registry.grantRole(role, ALICE);
        registry.grantRole(role, ALICE);
        registry.revokeRole(role, address(this));
        expectMissingRole(address(this), role);
        registry.setBootnodes(new string[](0));
        vm.prank(ALICE);
        registry.setBootnodes(new string[](0));
    }

    function expectMalformed(Wallet memory wallet, bytes memory signature, uint8 failure, bytes32 value) internal {
        vm.expectRevert(abi.encodeWithSelector(IPeerRegistry.PeerRegistry_MalformedSignature.selector, failure, value));
        vm.prank(ALICE);
        registry.register(wallet.publicKey, signature, block.timestamp);
    }

    /// @dev Registers key 1 with Alice by a signature over `digest`, and expects the refusal that names both
    /// addresses.
    function expectWrongSigner(uint256 signer, bytes32 digest) internal {
        Wallet memory wallet = walletOf(1);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(signer, digest);
        bytes32 checked = digestOf(address(registry), wallet.publicKey, ALICE, 0, block.timestamp);
        vm.expectRevert(
            abi.encodeWithSelector(
                IPeerRegistry.PeerRegistry_WrongSigner.selector,
                wallet.addr,
                ecrecover(checked, v, r, s)
            )
        );
        vm.prank(ALICE);
        registry.register(wallet.publicKey, abi.encodePacked(r, s, v), block.timestamp);
    }

    function word(bytes memory data, uint256 offset) internal pure returns (bytes32 value) {
        assembly ("memory-safe") {
            value := mload(add(add(data, 32), offset))
        }
    }
}
