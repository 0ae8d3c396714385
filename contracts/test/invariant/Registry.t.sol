// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SwarmFixture} from "../SwarmFixture.sol";
import {RegistryHandler} from "./RegistryHandler.sol";

/// @dev The numbers are those of INVARIANTS.md.
contract RegistryInvariants is SwarmFixture {
    RegistryHandler internal handler;

    function setUp() public override {
        super.setUp();
        handler = new RegistryHandler(registry, commitments);
        targetContract(address(handler));
    }

    function invariant_P1_APeerIsOnItsAccountsListOnceAndOnNoOther() public view {
        uint256 registered = 0;
        for (uint256 i = 0; i < handler.PEERS(); ++i) {
            bytes32 peerKey = handler.peerKeys(i);
            if (peerKey == 0) continue;
            ++registered;
            vm.assertEq(registry.accountOf(peerKey), handler.holders(i));
            vm.assertEq(timesListed(peerKey, handler.holders(i)), 1);
        }
        uint256 listed = 0;
        for (uint256 i = 0; i < handler.ACCOUNTS(); ++i) listed += registry.peerCount(handler.accountAt(i));
        vm.assertEq(listed, registered);
    }

    function invariant_P2_ANonceCountsRegistrations() public view {
        for (uint256 i = 0; i < handler.ACCOUNTS(); ++i) {
            address account = handler.accountAt(i);
            vm.assertEq(registry.nonces(account), handler.registrations(account));
        }
    }

    function invariant_P3_AKeyIsTheHashOfItsPeerId() public view {
        for (uint256 i = 0; i < handler.PEERS(); ++i) {
            bytes32 peerKey = handler.peerKeys(i);
            if (peerKey != 0) vm.assertEq(keccak256(bytes(registry.peerIdOf(peerKey))), peerKey);
        }
    }

    function invariant_P4_NoProofServesAnotherAccount() public view {
        vm.assertEq(handler.stolen(), 0);
    }

    function invariant_P5_AKeyCommitsToNothingBeforeTheSecondRoundAfterItsRegistration() public view {
        vm.assertEq(handler.early(), 0);
    }

    function timesListed(bytes32 peerKey, address account) internal view returns (uint256 times) {
        bytes32[] memory listed = registry.peersOf(account, 0, type(uint256).max);
        for (uint256 i = 0; i < listed.length; ++i) if (listed[i] == peerKey) ++times;
    }
}
