// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IPeerRegistry} from "../src/interfaces/IPeerRegistry.sol";
import {AccountContract} from "./AccountContract.sol";
import {Meddler} from "./Meddler.sol";
import {RsaKey} from "./RsaKey.sol";
import {SwarmFixture} from "./SwarmFixture.sol";

/// @dev Accounts that are contracts, and registrations that somebody else pays for.
contract ContractAccountsTest is SwarmFixture {
    address internal constant RELAYER = address(0xFEE);
    AccountContract internal wallet;

    function setUp() public override {
        super.setUp();
        wallet = new AccountContract(address(this));
    }

    function test_AContractRegistersAndCommits() public {
        Wallet memory key = walletOf(1);
        bytes memory signature = proofOf(key, address(wallet), block.timestamp);
        bytes memory result = wallet.execute(
            address(registry),
            abi.encodeCall(registry.register, (key.publicKey, signature, block.timestamp))
        );
        bytes32 peerKey = abi.decode(result, (bytes32));
        vm.assertEq(registry.accountOf(peerKey), address(wallet));
        bytes32 hash = keccak256("x");
        enterRound(2);
        wallet.execute(address(commitments), abi.encodeCall(commitments.commit, (2, peerKey, hash, 1, hash, hash, 0)));
        vm.assertTrue(commitments.committed(2, peerKey));
    }

    function test_ARelayerRegistersForAContractThatConsents() public {
        Wallet memory key = walletOf(1);
        bytes memory signature = proofOf(key, address(wallet), block.timestamp);
        wallet.approve(digestOf(address(registry), key.publicKey, address(wallet), 0, block.timestamp));
        vm.prank(RELAYER);
        bytes32 peerKey = registry.registerFor(address(wallet), key.publicKey, signature, block.timestamp, "");
        vm.assertEq(registry.accountOf(peerKey), address(wallet));
        vm.assertEq(registry.nonces(address(wallet)), 1);
        vm.assertEq(registry.nonces(RELAYER), 0);
    }

    function test_ARelayerRegistersAnRsaPeerForAKeyThatConsents() public {
        Wallet memory account = walletOf(77);
        bytes32 words = digestOf(address(registry), RsaKey.protobuf(), account.addr, 0, block.timestamp);
        bytes memory consent = signed(77, words);
        bytes memory signature = RsaKey.sign(abi.encode(words));
        vm.prank(RELAYER);
        bytes32 peerKey = registry.registerRsaFor(
            account.addr,
            RsaKey.MODULUS,
            65537,
            signature,
            block.timestamp,
            consent
        );
        vm.assertEq(registry.accountOf(peerKey), account.addr);
    }

    /// @dev Else anyone could put peers on an account's list, and so keep an evaluator from scoring them.
    function test_RevertWhen_TheAccountHasNotConsented() public {
        Wallet memory key = walletOf(1);
        bytes memory signature = proofOf(key, address(wallet), block.timestamp);
        vm.expectRevert(abi.encodeWithSelector(IPeerRegistry.PeerRegistry_NoConsent.selector, address(wallet)));
        registry.registerFor(address(wallet), key.publicKey, signature, block.timestamp, "");

        Wallet memory account = walletOf(77);
        bytes32 words = digestOf(address(registry), key.publicKey, account.addr, 0, block.timestamp);
        signature = proofOf(key, account.addr, block.timestamp);
        vm.expectRevert(abi.encodeWithSelector(IPeerRegistry.PeerRegistry_NoConsent.selector, account.addr));
        registry.registerFor(account.addr, key.publicKey, signature, block.timestamp, signed(78, words));

        words = digestOf(address(registry), RsaKey.protobuf(), account.addr, 0, block.timestamp);
        signature = RsaKey.sign(abi.encode(words));
        vm.expectRevert(abi.encodeWithSelector(IPeerRegistry.PeerRegistry_NoConsent.selector, account.addr));
        registry.registerRsaFor(account.addr, RsaKey.MODULUS, 65537, signature, block.timestamp, signed(78, words));
    }

    /// @dev Else a relayer could take a peer back that has moved on.
    function test_RevertWhen_ARelayerUsesAConsentTwice() public {
        Wallet memory key = walletOf(1);
        bytes memory used = proofOf(key, address(wallet), type(uint256).max);
        wallet.approve(digestOf(address(registry), key.publicKey, address(wallet), 0, type(uint256).max));
        bytes32 peerKey = registry.registerFor(address(wallet), key.publicKey, used, type(uint256).max, "");
        enrol(1, RELAYER);
        bytes32 now_ = digestOf(address(registry), key.publicKey, address(wallet), 1, type(uint256).max);
        (bytes32 r, bytes32 s, uint8 v) = split(used);
        vm.expectRevert(
            abi.encodeWithSelector(IPeerRegistry.PeerRegistry_WrongSigner.selector, key.addr, ecrecover(now_, v, r, s))
        );
        registry.registerFor(address(wallet), key.publicKey, used, type(uint256).max, "");
        vm.assertEq(registry.accountOf(peerKey), RELAYER);
    }

    /// @dev It is asked by a static call: nothing that it does meanwhile comes to anything.
    function test_AnAccountThatRegistersWhileItIsAskedForItsConsentGetsOnePeer() public {
        Meddler meddler = new Meddler(address(registry));
        Wallet memory key = walletOf(1);
        Wallet memory other = walletOf(2);
        bytes memory signature = proofOf(key, address(meddler), block.timestamp);
        bytes memory second = proofOf(other, address(meddler), block.timestamp);
        meddler.plan(abi.encodeCall(registry.register, (other.publicKey, second, block.timestamp)));
        bytes32 peerKey = registry.registerFor(address(meddler), key.publicKey, signature, block.timestamp, "");
        vm.assertFalse(meddler.hasMeddled());
        vm.assertEq(registry.accountOf(peerKey), address(meddler));
        vm.assertEq(registry.peerCount(address(meddler)), 1);
        vm.assertEq(registry.nonces(address(meddler)), 1);
    }

    function split(bytes memory signature) internal pure returns (bytes32 r, bytes32 s, uint8 v) {
        v = uint8(signature[64]);
        assembly ("memory-safe") {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
        }
    }

    function signed(uint256 privateKey, bytes32 digest) internal pure returns (bytes memory signature) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(privateKey, digest);
        return abi.encodePacked(r, s, v);
    }
}
